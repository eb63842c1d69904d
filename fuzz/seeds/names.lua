-- Names of C++, Rust and D. Some have parts that libiberty repeats.
-- SPDX-License-Identifier: GPL-3.0-or-later

local names <const> = {
  "_Z1fv", "_ZN1A1BC2ERKS0_", "_ZNSt6vectorIiSaIiEE9push_backERKi", "_GLOBAL__sub_I__Z1fv", "_Z1fv.isra.0.cold",
  "_Z1f1AIiiES_IS0_S0_ES_IS1_S1_ES_IS2_S2_E", "_Z1fI1AIiiES0_IS1_S1_ES0_IS2_S2_EEDpS3_v", "_ZN1fcvT_IT_IiEI1AEEv",
  "_Z1gIiJiiEEDTcl1ffp_spfp0_EET_DpT0_", "_ZZN1A1fEvENKUlT_E_clIiEEDaS0_", "_ZNK1AIXsrSt7is_sameIiiE5valueEE1fEv@V1",
  "_RINvC1a1bTllETB8_B8_ETBd_Bd_EE", "_RINvC1a1bFG_RL_lEuE", "_RNvNtCs1234_7mycrate3foo3bar",
  "_ZN4core3fmt5write17h0123456789abcdefE", "_D3app3fooFiZv", "_D1a1fFHiiHQeQgHQgQiZv", "pkg__proc", "..f", "",
}

return function(save)
  for _, name in ipairs(names) do
    for style = 0, 5 do save(string.char(2 * style), name) end
  end
end
