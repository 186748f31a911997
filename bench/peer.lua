-- The same work in Lua: an implementation with lua-nginx-module and cjson
-- instead of Parley, for an AEE task that is a VCP escalation.
--
-- It does Parley's checks in the same order, as far as possible: cjson accepts
-- duplicate members and invalid UTF-8.  Tokens are verified once and stored in
-- a shared dictionary; the benchmark writes them there.

local cjson = require "cjson.safe"

local M = {}

local tokens = ngx.shared.tokens
local rates = ngx.shared.rates
local seen = ngx.shared.seen
local origins = ngx.shared.origins

local find, match, sub, format = string.find, string.match, string.sub,
                                 string.format
local concat = table.concat
local re_find = ngx.re.find
local null = cjson.null

local UUID_7 = "^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}"
               .. "-[0-9a-f]{12}$"

local BODY_MAX = 1024 * 1024
local INTERVAL = 1 / 1000000
local BURST = 100000 * INTERVAL
local PAST, FUTURE = 300, 30
local WINDOW = 600
local SELF = "agent.gateway"

local PRINCIPALS = {
    ["child-7"] = { aee = "agent.child-7", parent = "agent.parent-1",
                    vcp = "agent://ops.example/child-7" },
    ["parent-1"] = { aee = "agent.parent-1",
                     vcp = "agent://ops.example/parent-1" },
}

local BY_AEE = {}

for _, principal in pairs(PRINCIPALS) do
    BY_AEE[principal.aee] = principal
end

local TYPES = { task = true, result = true, event = true, error = true,
                stream = true }
local PRIORITIES = { low = true, normal = true, high = true, urgent = true }
local SEVERITIES = { info = true, warning = true, critical = true,
                     emergency = true }
local ESCALATION = { severity = true, reason = true, context = true,
                     blocked_action = true, requires_ack = true }


-- Stores verified tokens, once at the start.
function M.enter(path, scope)
    for line in io.lines(path) do
        tokens:set(line, format("%d child-7  %s ", ngx.time() + 3600, scope))
    end
end


local function refuse(status, code, field)
    ngx.status = status
    ngx.header["Content-Type"] = "application/json"
    ngx.say(cjson.encode({ v = "1", type = "error",
                           payload = { code = code, field = field } }))
    return ngx.exit(status)
end


local function principal_of_token()
    local token = match(ngx.var.http_authorization or "", "^Bearer +(.+)$")

    if not token then
        return nil, "E_TOKEN_MISSING"
    end

    local known = tokens:get(token)

    if not known then
        return nil, "E_TOKEN_INVALID"
    end

    local exp, name, scopes = match(known, "^(%d+) (%S+) (.*)$")

    if tonumber(exp) <= ngx.time() then
        return nil, "E_TOKEN_EXPIRED"
    end

    return name, scopes
end


-- Limits the rate (GCRA).
local function within_rate(name)
    local now = ngx.now()
    local tat = rates:get(name)

    if not tat or tat < now then
        tat = now
    end

    if tat - now > BURST then
        return false
    end

    rates:set(name, tat + INTERVAL, 60)

    return true
end


local function body_of_request()
    ngx.req.read_body()

    local body = ngx.req.get_body_data()

    if not body then
        local path = ngx.req.get_body_file()
        local file = path and io.open(path, "rb")

        if not file then
            return nil
        end

        body = file:read("*a")
        file:close()
    end

    if #body > BODY_MAX then
        return nil
    end

    return body
end


local function is_text(value, least)
    return type(value) == "string" and #value >= least
end


-- Returns nil, or the invalid field.
local function bad_envelope(m)
    if m.v ~= "1" then return "/v" end
    if not is_text(m.id, 8) then return "/id" end
    if not is_text(m.ts, 10) then return "/ts" end
    if not TYPES[m.type] then return "/type" end
    if not is_text(m.from, 1) then return "/from" end
    if not is_text(m.to, 1) then return "/to" end
    if not is_text(m.intent, 3) then return "/intent" end
    if not is_text(m.corr, 8) then return "/corr" end
    if not PRIORITIES[m.priority] then return "/priority" end
    if type(m.payload) ~= "table" then return "/payload" end

    local reply_to = m.reply_to

    if reply_to ~= nil and reply_to ~= null and not is_text(reply_to, 8) then
        return "/reply_to"
    end

    local requires = m.requires

    if requires ~= nil and requires ~= null and type(requires) ~= "table"
    then
        return "/requires"
    end
end


local function bad_escalation(p)
    for name in pairs(p) do
        if not ESCALATION[name] then return "/payload/" .. name end
    end

    if not SEVERITIES[p.severity] then return "/payload/severity" end

    if not is_text(p.reason, 1) or #p.reason > 4096 then
        return "/payload/reason"
    end

    if not is_text(p.context, 1) then return "/payload/context" end

    if p.blocked_action ~= nil
        and (not is_text(p.blocked_action, 0) or #p.blocked_action > 1024)
    then
        return "/payload/blocked_action"
    end

    if type(p.requires_ack) ~= "boolean" then
        return "/payload/requires_ack"
    end

    if (p.severity == "critical" or p.severity == "emergency")
        and not p.requires_ack
    then
        return "/payload/requires_ack"
    end
end


-- Returns seconds since 1970 of a timestamp that ends with Z.
local function seconds(text)
    local y, mo, d, h, mi, s = match(text,
        "^(%d%d%d%d)-(%d%d)-(%d%d)T(%d%d):(%d%d):(%d%d)%.?%d*Z$")

    if not y then
        return nil
    end

    y, mo, d = tonumber(y), tonumber(mo), tonumber(d)

    if mo <= 2 then
        y, mo = y - 1, mo + 12
    end

    local days = 365 * y + math.floor(y / 4) - math.floor(y / 100)
                 + math.floor(y / 400) + math.floor((153 * mo - 457) / 5) + d
                 - 719469

    return days * 86400 + tonumber(h) * 3600 + tonumber(mi) * 60
           + tonumber(s)
end


local function allowed(scopes, m)
    return find(scopes, " ops:run ", 1, true)
           and m.type == "task" and sub(m.intent, 1, 4) == "vcp."
end


function M.access()
    local name, scopes = principal_of_token()

    if not name then
        return refuse(401, scopes)
    end

    if not within_rate(name) then
        return refuse(429, "E_RATE_LIMITED")
    end

    local body = body_of_request()

    if not body then
        return refuse(413, "E_MESSAGE_TOO_LARGE")
    end

    local m = cjson.decode(body)

    if type(m) ~= "table" then
        return refuse(400, "E_JSON_INVALID")
    end

    local field = bad_envelope(m)

    if field then
        return refuse(400, "E_FIELD_INVALID", field)
    end

    local sender = PRINCIPALS[name]

    if not sender or sender.aee ~= m.from then
        return refuse(403, "E_SENDER_IDENTITY_MISMATCH", "/from")
    end

    local created = seconds(m.ts)

    if not created then
        return refuse(400, "E_FIELD_INVALID", "/ts")
    end

    local age = ngx.time() - created

    if age > PAST or -age > FUTURE then
        return refuse(422, "E_MESSAGE_STALE", "/ts")
    end

    local key = concat({ "aee", name, m.id }, "\0")

    if not seen:safe_add(key, 0, WINDOW) then
        return refuse(409, "E_MESSAGE_DUPLICATE", "/id")
    end

    local ctx = ngx.ctx
    ctx.key = key

    if not allowed(scopes, m) then
        return refuse(403, "E_POLICY_REFUSED")
    end

    local recipient = BY_AEE[m.to]

    if m.intent ~= "vcp.escalation" or not recipient then
        return refuse(422, "E_TRANSLATION_UNSUPPORTED", "/intent")
    end

    if sender.parent and sender.parent ~= m.to then
        return refuse(403, "E_DIRECTION_REFUSED", "/to")
    end

    field = bad_escalation(m.payload)

    if field then
        return refuse(422, "E_TRANSLATION_UNSUPPORTED", field)
    end

    if not re_find(m.id, UUID_7, "jo") then
        return refuse(422, "E_TRANSLATION_UNSUPPORTED", "/id")
    end

    -- A reply may come later as a separate request.

    local origin = "vcp\0" .. m.id

    if not origins:safe_set(origin, cjson.encode({
            protocol = "aee", form = m.type, id = m.id, corr = m.corr,
            intent = m.intent, sender = m.from, recipient = m.to,
            priority = m.priority
        }), WINDOW)
    then
        return refuse(503, "E_CAPACITY")
    end

    ctx.origin = origin
    ctx.message = m

    ngx.req.set_body_data(cjson.encode({
        vcp_message = "1.2", type = "escalation", message_id = m.id,
        sender = sender.vcp, recipient = recipient.vcp, timestamp = m.ts,
        payload = m.payload
    }))
end


-- The body decides about the answer's head.
function M.header()
    local ctx = ngx.ctx

    if not ctx.message then
        return
    end

    if ngx.status ~= 200 then
        ctx.message = nil
        return
    end

    ngx.status = 202
    ngx.header.content_length = nil
    ngx.header.content_type = "application/json"
end


local function uuid_of(text)
    local h = ngx.md5(text)

    return concat({ sub(h, 1, 8), "-", sub(h, 9, 12), "-8", sub(h, 14, 16),
                    "-a", sub(h, 18, 20), "-", sub(h, 21, 32) })
end


local function answer(m, body)
    local a = cjson.decode(body)

    if type(a) ~= "table" or a.status ~= "accepted" or a.message_id ~= m.id
    then
        return nil
    end

    return cjson.encode({
        v = "1", id = uuid_of("parley:aee:" .. m.id .. ":accept"),
        ts = os.date("!%Y-%m-%dT%H:%M:%SZ", ngx.time()), type = "stream",
        from = SELF, to = m.from, intent = m.intent, corr = m.corr,
        reply_to = null, priority = m.priority, requires = null,
        payload = { status = "accepted" }
    })
end


function M.body()
    local ctx = ngx.ctx
    local m = ctx.message

    if not m then
        return
    end

    local chunk, last = ngx.arg[1], ngx.arg[2]

    if not last then
        ctx.chunks = (ctx.chunks or "") .. chunk
        ngx.arg[1] = nil
        return
    end

    local text = answer(m, (ctx.chunks or "") .. chunk)

    ctx.taken = text ~= nil
    ctx.message = nil
    ngx.arg[1] = text or '{"v":"1","type":"error"}'
end


-- If the service took the message, its id stays; otherwise the message may come
-- again.
function M.log()
    local ctx = ngx.ctx

    if not ctx.key then
        return
    end

    if ctx.taken then
        seen:set(ctx.key, 1, WINDOW)

    else
        seen:delete(ctx.key)

        if ctx.origin then
            origins:delete(ctx.origin)
        end
    end
end


return M
