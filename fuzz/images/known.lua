-- Faults that are libbfd's, by kind, and why nothing is done about them here.
-- SPDX-License-Identifier: GPL-3.0-or-later

return {
}
