-- --html with --compare: the call tree of both runs.
-- SPDX-License-Identifier: GPL-3.0-or-later

local browser = require "support.browser"
local crafted = require "support.crafted"
local exported = require "support.exported"
local gmon = require "support.gmon"
local pages = require "support.pages"
local program = require "support.program"
local shell = require "support.shell"
local stacks = require "support.context_stacks"

local lack <const> = browser.lack()
if lack then return pending(lack) end

local functions <const> = { "main", "work", "leaf", "stale", "fresh", "rare" }
local image = crafted.image { functions = functions }

local function profile(name, paths)
  return gmon.write(shell.tmpdir "runs" .. "/" .. name, stacks.pack(functions, paths))
end

local old = profile("old", { { "main", "work", ticks = 100 }, { "main", "work", "leaf", ticks = 600 },
  { "main", "stale", ticks = 200 }, { "main", "rare", ticks = 2 } })
local new = profile("new", { { "main", "work", ticks = 104 }, { "main", "work", "leaf", ticks = 300 },
  { "main", "fresh", "leaf", ticks = 800 }, { "main", "rare", ticks = 3 } })
local path = select(2, pages.write(image, new, "--compare=" .. old))

-- The frames of the tree: name and figures, width in pixels as a share of the root's, and classes.
local frames <const> = [[(() => { const width = (e) => e.getBoundingClientRect().width, all = width(
  document.querySelector('.tree'));
  return [...document.querySelectorAll('.frame')].map((e) => [e.getAttribute('aria-label'),
    (width(e) / all).toFixed(3), e.className]); })()]]
local hash <const> = "location.hash"

-- Why the tree is that of the new run alone.
local note <const> = "(/Only the new run is shown: ([^.]*)/.exec(" ..
  "document.querySelector('section > p.soft').textContent) || ['', ''])[1]"

-- Returns the frames by the beginning of their names.
local function by_name(list)
  local found = {}
  for _, frame in ipairs(list) do
    local name = frame[1]:match "^[^:]*"
    found[name] = found[name] or { text = frame[1], width = tonumber(frame[2]), class = frame[3] }
  end
  return found
end

describe("The call tree of a comparison in a page", function()
  it("shows both runs: width is the longer time, and what is gone is hollow", function()
    local tree = by_name(browser.walk(path, { "open", "!tree" }, frames)[1])
    assert.equal("all: 0.902 → 1.207 s, +0.305 s (+34 %), more than chance explains", tree.all.text)
    assert.equal("work: 0.700 → 0.404 s, −0.296 s (−42 %), more than chance explains, 33.5 % of all, " ..
      "33.5 % of main, self 0.104 s", tree.work.text)
    assert.equal("fresh: 0.000 → 0.800 s, +0.800 s, more than chance explains, new, 66.3 % of all, 66.3 % of main, " ..
      "self 0.000 s", tree.fresh.text)
    assert.equal("stale: 0.200 → 0.000 s, −0.200 s, more than chance explains, gone, 0.0 % of all, 0.0 % of main, " ..
      "self 0.000 s", tree.stale.text)
    -- callees of main need 1.703 s, so they are drawn narrower
    assert.same({ 1, 0.411, 0.470, 0.117 },
      { tree.all.width, tree.work.width, tree.fresh.width, tree.stale.width })
    assert.same({ "frame c4 at", "frame c1 less", "frame c5 new", "frame c0 less gone" },
      { tree.all.class, tree.work.class, tree.fresh.class, tree.stale.class })
  end)

  it("marks what is new and gone, and leaves grey what may be due to chance", function()
    local mark <const> = "getComputedStyle(document.querySelector('.frame.%s'), '::before').content"
    local kept <const> = "document.querySelector('.frame.c1.less').style.getPropertyValue('--kept')"
    local found = browser.walk(path, { "open", "!tree=around:rare" }, frames, { "open", "!tree" }, mark:format "new",
      mark:format "gone", kept, "document.querySelector('.legend').textContent")
    local rare = by_name(found[1]).rare
    assert.equal("rare: 0.002 → 0.003 s, +0.001 s (+50 %), may be due to chance, 0.2 % of all", rare.text)
    assert.equal("frame tr at", rare.class)
    assert.same({ '"+ "', '"− "', "57.7143%" }, { found[2], found[3], found[4] })
    assert.matches("hollow: time that is gone%+ new, − gone$", found[5])
  end)

  it("can be zoomed and inverted, and followed with keys; the address has what is shown", function()
    local at <const> = "document.querySelector('.frame.at').getAttribute('aria-label').split(',')[0]"
    local found = browser.walk(path, { "open", "!tree" }, { "key", "ArrowDown" }, { "key", "ArrowDown" },
      { "key", "ArrowDown" }, { "key", "ArrowRight" }, at, { "key", "Enter" }, hash, frames, { "key", "Escape" }, hash,
      { "open", "!tree=up:" }, browser.frames, { "open", "!tree=around:leaf" }, frames)
    assert.equal("work: 0.700 → 0.404 s", found[1])
    assert.equal("#!tree=down:3.1", found[2])
    local zoomed = by_name(found[3])
    assert.same({ 1, 0.857 }, { zoomed.work.width, zoomed.leaf.width })
    assert.equal("#!tree=down:", found[4])
    assert.equal("all leaf stale work fresh work main main main main", found[5])
    assert.same({ 1, 0.571 }, { by_name(found[6]).leaf.width, by_name(found[6]).fresh.width })
  end)

  it("is refined and searched with paths that are gone", function()
    local found = browser.walk(path, { "open", "!tree&focus=stale" }, browser.frames, { "open", "!tree&hide=leaf" },
      frames, { "open", "!tree=%3Fstale" }, "document.querySelector('.tools [role=status]').textContent",
      "document.querySelector('.frame.hit').textContent")
    assert.equal("all main stale", found[1])
    assert.equal("work: 0.700 → 0.404 s", by_name(found[2]).work.text:match "^[^,]*")
    assert.same({ "1 frame, 0.0 % of the time", "stale" }, { found[3], found[4] })
  end)

  it("shows the new run alone on request, and keeps that while it is zoomed", function()
    local select <const> = "document.querySelector('select[aria-label=Runs]')"
    local found = browser.walk(path, { "open", "!tree" },
      ("%s.value = 'new', %s.dispatchEvent(new Event('change')), %s"):format(select, select, hash),
      { "media", "screen" }, frames, { "click", ".frame[aria-label^=work]" }, hash,
      "document.querySelector('.path a').getAttribute('href')",
      { "open", "!tree=%3Fstale&runs=new" }, "document.querySelector('.tools [role=status]').textContent",
      { "open", "!tree" }, select .. ".value", "document.querySelectorAll('.frame.gone').length")
    local tree = by_name(found[2])
    assert.equal("work: 0.404 s, 33.5 % of all, 33.5 % of main, self 0.104 s", tree.work.text)
    assert.same({ 0.335, "frame c1" }, { tree.work.width, tree.work.class })
    assert.is_nil(tree.stale)
    assert.same({ "#!tree&runs=new", "#!tree=down:3.1&runs=new", "#!tree=down:&runs=new", "No matches",
      "both", 1 }, { found[1], table.unpack(found, 3, 7) })
  end)

  it("stays that of the new run while chips change", function()
    local found = browser.walk(path, { "open", "!tree&runs=new" }, "document.querySelector('.tree').focus()",
      { "key", "ArrowDown" }, { "key", "f" }, hash, "document.querySelectorAll('.frame.gone').length")
    assert.same({ "#!tree&runs=new&focus=%3Dmain", 0 }, { found[2], found[3] })
  end)

  it("has each path of either run, with the weights of both", function()
    local paths <const> = [=[((tree, weight, others) => { const paths = [], found = {};
      tree.frame.forEach((frame, i) => {
        const name = frame < 0 ? String(frame) : frame < nodeCount ? nameOf(frame) : others[frame - nodeCount];
        paths[i] = (i > 0 ? paths[tree.parent[i]] : "") + "/" + name;
        if (weight[i] > 0) found[paths[i]] = (found[paths[i]] || 0) + weight[i];
      });
      return found; })(%s, %s, %s)]=]
    local before, after = crafted.layered(4, 4), crafted.layered(5, 3)
    local compared = select(2, pages.write(crafted.image(after), crafted.gmon(after),
      "--compare=" .. crafted.gmon(before) .. "," .. crafted.image(before)))
    local found = browser.walk(compared, paths:format("tree", "tree.weight", "data.tree.others"),
      paths:format("parsed('data').tree", "parsed('data').tree.weight", "parsed('data').tree.others"),
      paths:format("tree", "tree.before.map((w) => Math.round(w / tree.parts * comparedTree.parts))",
        "data.tree.others"),
      paths:format("comparedTree", "comparedTree.weight", "comparedTree.others"),
      "tree.end.every((end, i) => i === 0 || (tree.parent[i] < i && end <= tree.end[tree.parent[i]]))")
    assert.same(found[2], found[1])
    assert.same(found[4], found[3])
    assert.is_true(found[5])
    assert.truthy(next(found[4]))
  end)

  it("has all old time of functions that one new function stands for", function()
    local function plan(ticks)
      local made = { functions = { "main" }, ticks = ticks, calls = {} }
      for name in pairs(ticks) do table.insert(made.functions, name) end
      table.sort(made.functions, function(a, b) return b ~= "main" and (a == "main" or a < b) end)
      for i = 2, #made.functions do made.calls[i - 1] = { "main", made.functions[i], 1 } end
      return made
    end
    local before = plan { ["f.constprop.0"] = 600, ["f.constprop.1"] = 100 }
    local after = plan { ["f.constprop.0"] = 500 }
    local found = by_name(browser.walk(select(2, pages.crafted(after, "--compare=" .. crafted.gmon(before) .. "," ..
      crafted.image(before))), { "open", "!tree" }, frames)[1])
    local f = found["f.constprop.0"]
    assert.equal("f.constprop.0: 7.00 → 5.00 s, −2.00 s (−29 %), more than chance explains",
      f.text:match "^[^,]*,[^,]*,[^,]*")
    assert.same({ 1, "frame c1 less" }, { f.width, f.class })
  end)

  it("has times per run", function()
    local double = select(2, pages.write(image, new, "--compare=" .. old .. "," .. old))
    local tree = by_name(browser.walk(double, { "open", "!tree" }, frames)[1])
    assert.equal("stale: 0.200 → 0.000 s per run, −0.200 s", tree.stale.text:match "^[^,]*, [^,]*")
    assert.equal(0.117, tree.stale.width)
  end)

  it("calls the change of estimated times uncertain", function()
    local function plan(ticks)
      return { functions = { "main", "a", "b", "work" }, ticks = { main = 40, work = ticks },
        calls = { { "main", "a", 1 }, { "main", "b", 1 }, { "a", "work", 1 }, { "b", "work", 2 } } }
    end
    local before, after = plan(60), plan(600)
    local tree = by_name(browser.walk(select(2, pages.write(crafted.image(after), crafted.gmon(after),
      "--compare=" .. crafted.gmon(before))), { "open", "!tree" }, frames)[1])
    assert.equal("b: 0.40 → 4.00 s, +3.60 s (+900 %), not certain: the times are estimates",
      tree.b.text:match "^.-estimates")
    assert.equal("frame tr guess", tree.b.class)
    assert.equal("frame c5", tree.main.class)
  end)

  it("colours guessed paths by the self time of their function, if its total is not comparable", function()
    local function plan(ticks)
      return { functions = { "main", "a", "b", "work", "leaf", "other" },
        ticks = { main = 40, work = ticks, leaf = 200 },
        calls = { { "main", "a", 1 }, { "main", "b", 1 }, { "a", "work", 1 }, { "b", "work", 2 },
          { "work", "leaf", 1 }, { "main", "other", 1 }, { "other", "leaf", 1 } } }
    end
    local before, after = plan(60), plan(240)
    local page = select(2, pages.write(crafted.image(after), crafted.gmon(after), "--compare=" .. crafted.gmon(before)))
    local found = browser.walk(page, { "open", "!changes" }, "document.querySelector('tbody').textContent",
      { "open", "!tree" }, frames)
    assert.match("not comparable", found[1])
    local tree = by_name(found[2])
    assert.same({ "frame c5 guess", "frame tr guess" }, { tree.work.class, tree.b.class })
    assert.match("self in all 0%.60 → 2%.40 s, more than chance explains", tree.work.text)
  end)

  it("is that of the new run if the old profile has no call tree", function()
    local saved = shell.tmpdir() .. "/old.json"
    assert.equal(0, program.run({ "--export=json:" .. saved, image, old }).status)
    local found = browser.walk(select(2, pages.write(image, new, "--compare=" .. saved)), { "open", "!tree" },
      frames, "document.querySelector('select[aria-label=Runs]') === null", note)
    assert.equal("frame c1", by_name(found[1]).work.class)
    assert.truthy(found[2])
    assert.equal("the old profile was exported, without a call tree", found[3])
  end)

  it("says why it is that of the new run", function()
    local estimated = crafted.gmon { functions = functions, ticks = { work = 100 }, calls = { { "main", "work", 1 } } }
    local counted = crafted.gmon { functions = functions, calls = { { "main", "work", 1 } } }
    local whole = { functions = functions, ticks = { work = 100 }, calls = { { "main", "work", 1 } } }
    local function note_of(after, before)
      local page = shell.tmpdir() .. "/page.html"
      program.run { "--html=" .. page, "--compare=" .. before, image, after }
      return browser.walk(page, { "open", "!tree" }, note)[1]
    end
    assert.equal("call paths are known in one of the runs only", note_of(new, estimated))
    assert.equal("the old profile has no samples", note_of(crafted.gmon(whole), counted))
    assert.equal("", note_of(new, old))
    local function note_at(files, search)
      local page = select(2, pages.write(files[1], files[2], "--compare=" .. files[2]))
      return browser.walk(page, { "leave", ("location.assign('?%s#!tree')"):format(search) }, note)[1]
    end
    local inlined, context = { exported.inlined() }, { exported.measured() }
    assert.equal("the comparison is without inlined functions", note_at(inlined, "view=inlined"))
    assert.equal("the comparison is of all threads", note_at(context, "thread=2"))
  end)
end)
