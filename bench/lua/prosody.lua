-- Uses the utilities of Prosody, a server for XMPP: stanzas, JSON, addresses, caches, events, promises, heaps.
package.path = "/usr/lib/prosody/?.lua;" .. package.path
package.cpath = "/usr/lib/prosody/?.so;" .. package.cpath

local cache, events, json, jid = require "util.cache", require "util.events", require "util.json", require "util.jid"
local promise, serialization, set = require "util.promise", require "util.serialization", require "util.set"
local datetime, stanza, template = require "util.datetime", require "util.stanza", require "util.interpolation"

local render = template.new("%b{}", stanza.xml_escape)
local bus, seen, recent = events.new(), set.new(), cache.new(50)
bus.add_handler("message", function(event) seen:add(event.from) end)

local function message(i)
  local from = jid.join("user" .. i % 97, "example.org", "phone")
  local st = stanza.message({ from = from, to = "room@conference.example.org", type = "groupchat" })
    :tag("body"):text(render("Hello {name}, number {i}!", { name = "<" .. i .. ">", i = i })):up()
    :tag("delay", { xmlns = "urn:xmpp:delay", stamp = datetime.datetime(i * 1000) }):up()
  bus.fire_event("message", { from = jid.bare(from), stanza = st })
  recent:set(i, st)
  return stanza.clone(st)
end

for i = 1, 10000 do
  local st = message(i)
  local text = json.encode { id = i, xml = tostring(st), list = { 1, 2, i } }
  local back = json.decode(text)
  promise.resolve(back):next(function(value) return value.id end)
  if i % 10 == 0 then serialization.serialize(stanza.preserialize(st)) end
end
print(recent:count())
