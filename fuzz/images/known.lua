-- Known faults of libbfd, by kind; each value is the reason why our code is not the cause.
-- SPDX-License-Identifier: GPL-3.0-or-later

return {
}
