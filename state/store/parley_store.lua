#!lua name=parley_1

-- The functions of Parley's store.  Each is one atomic step: it reads and
-- checks first, and writes last.  Times are ms of the engine, durations are the
-- callers'.  KEYS[1] is the prefix of all keys, with its braces.  A node that
-- is not in the list of nodes, or whose lease is over, holds nothing.
--
-- The first octet of a value is its format, and its numbers have their lowest
-- octet first.  A number alone is a decimal text.  A node reads the formats of
-- its version and of the version before, and all nodes write the lowest one of
-- the newest formats of the living nodes.  A value of another format is
-- skipped.
--
--   i<key>  id            format, 'r' reserved or 't' taken, print 8, holder
--   s<key>  slot          format, 'r' or 't', holder
--           holder        node 8, stamp 8: one admission
--   r<key>  records       format, entries
--           entry         tag 4, generation 4, queue 1, closed 1, end 8,
--                         length 4, value
--   l<key>  limit         end of its debt, in microseconds
--   m       nodes         sorted by the ends of their leases
--   c       nodes         formats that each reads, from and to, and its text
--   T       time of the last renewal by any node
--   y       shared records: field kind 1, key 16, tag 4; value format, entry
--           or ''
--   z, w    fields of y by the number of their last change, and by their end
--   k       number of the last change
--   v       hash: key, format that is written, run, generation
--
-- Appends and sessions of all nodes have one order, by numbers.  Each node
-- takes the steps of this order into its zone.
--
--   f       stream of steps: e content, p places, t time
--   n, g    number of the last step; generation of the order
--   q       list: number, end and octets of each step in f, oldest first
--   o, b    octets of the steps in f; number of the last one that was removed
--   f       channel: format, node 8 that has added a step, its number 8, length 4
--           of its places, places and content unless they are large
--   h<key>  log           format, generation 8, epoch 8, offset of its end 8, closed 1

local OLDEST, NEWEST = '1', '1' -- formats that this library reads
local BETWEEN = { ['1'] = '' }  -- octets of an id after its state, by format
local HEAD = 22                 -- octets of an entry before its value
local OWNED = 8                 -- records of one owner under a key
local GUARANTEED = '\0'      -- queue of a record that is not evicted
local RECORDS = 64              -- records of a key
local OCTETS = 2 * 1024 * 1024  -- octets of these
local OTHERS = 10000000         -- us of debt that other nodes may add
local PAGE = 64                 -- changes of a page, nodes of a list
local TOMBSTONE = 3600 * 1000   -- ms that a dropped record is remembered
local STEPS = 64                -- steps of a page
local STEPS_OCTETS = 512 * 1024 -- octets of a page, but one step may be larger
local STEPS_READ = 2            -- steps that are read at once, of 1 MB each
local TRIM = 32                 -- ended steps that are removed at once, at most
local TRIM_FULL = 4             -- the same number if there is no room
local TRIM_MOST = 1024          -- steps that one step removes for room, at most
local TRIM_READ = 64            -- steps that are read at once to make room
local TRIMS = 16                -- steps between two removals of ended ones
local TOLD = 4096               -- octets of a step that the channel has
local BEYOND = 1048576          -- steps that a failover may have lost
local NUMBERS = 64              -- numbers of a ms

local function micros()
    local t = redis.call('TIME')
    return tonumber(t[1]) * 1000000 + tonumber(t[2])
end

local function clock()
    return math.floor(micros() / 1000)
end

local function whole(n)
    return string.format('%.0f', n)
end

-- Returns when a node renewed last; without a renewal no lease has passed.

local function renewed(prefix, now)
    return tonumber(redis.call('GET', prefix .. 'T') or now)
end

-- Returns the names of the nodes whose leases have not ended, at most 1024.

local function names(prefix, now, lease)
    local last = renewed(prefix, now)

    return redis.call('ZRANGEBYSCORE', prefix .. 'm',
                      now - last > lease / 2 and last or now, '+inf',
                      'LIMIT', 0, 1024)
end

-- Returns the number of nodes whose leases have not ended.

local function living(prefix, now)
    return redis.call('ZCOUNT', prefix .. 'm', now, '+inf')
end

-- While no node can renew, no lease ends.

local function alive(prefix, node, now, lease)
    local till = redis.call('ZSCORE', prefix .. 'm', node)

    if not till then
        return false
    end

    return tonumber(till) > now or now - renewed(prefix, now) > lease / 2
end

-- Renews the lease of a node.  After a time in which no node could renew, the
-- leases that had not ended before last one lease longer.

local function renew(prefix, node, now, lease)
    local last = renewed(prefix, now)

    if now - last > lease / 2 then
        local nodes = redis.call('ZRANGEBYSCORE', prefix .. 'm', last, '+inf',
                                 'LIMIT', 0, 1024)

        for i = 1, #nodes do
            redis.call('ZADD', prefix .. 'm', 'GT', now + lease, nodes[i])
        end
    end

    redis.call('ZADD', prefix .. 'm', now + lease, node)
    redis.call('SET', prefix .. 'T', whole(now))
end

-- Returns whether a format is one of those from oldest to newest.

local function within(format, oldest, newest)
    local n = format:byte() or 0

    return n >= oldest:byte() and n <= newest:byte()
end

-- Returns the format that is written now.

local function written(prefix)
    local format = redis.call('HGET', prefix .. 'v', 'format') or OLDEST

    return within(format, OLDEST, NEWEST) and format or NEWEST
end

-- Returns the oldest and the newest format that all living nodes read: a node,
-- which reads those from oldest to newest, and the others.

local function agreed(prefix, node, oldest, newest, now, lease)
    local nodes = names(prefix, now, lease)

    for i = 1, #nodes do
        local text = nodes[i] ~= node
                     and redis.call('HGET', prefix .. 'c', nodes[i])

        if text and text:byte(1) > oldest:byte() then
            oldest = text:sub(1, 1)
        end

        if text and text:byte(2) < newest:byte() then
            newest = text:sub(2, 2)
        end
    end

    return oldest, newest
end

-- Sets the format that is written.  The nodes see a change by its number.

local function write_format(prefix, format)
    local old = redis.call('HGET', prefix .. 'v', 'format')

    if old ~= format then
        redis.call('HSET', prefix .. 'v', 'format', format)
    end

    if old and old ~= format then
        redis.call('INCR', prefix .. 'k')
    end

    return format
end

-- Returns state, print ('' for a slot) and holder of an id, or nil if it has an
-- unknown format.

local function read_id(octets)
    local between = BETWEEN[octets:sub(1, 1)]

    if not between then
        return nil
    end

    return octets:sub(2, 2), octets:sub(3 + #between, -17), octets:sub(-16)
end

local function write_id(prefix, state, print, holder)
    local format = written(prefix)

    return format .. state .. BETWEEN[format] .. print .. holder
end

-- Calls visit(entry, tag, generation, closed) for each entry that has not
-- ended.  Returns whether the format is known.

local function entries(octets, now, visit)
    local at = 2

    if octets and not within(octets, OLDEST, NEWEST) then
        return false
    end

    while octets and at + HEAD <= #octets + 1 do
        local till, len = struct.unpack('<I8I4', octets, at + 10)
        local entry = octets:sub(at, at + HEAD + len - 1)

        if till > now then
            visit(entry, entry:sub(1, 4), entry:sub(5, 8), entry:sub(10, 10),
                  till)
        end

        at = at + HEAD + len
    end

    return true
end

local function store_entries(prefix, key, list, now)
    if #list == 0 then
        redis.call('DEL', prefix .. 'r' .. key)
        return
    end

    local last = now

    for i = 1, #list do
        local till = struct.unpack('<I8', list[i], 11)

        if till > last then
            last = till
        end
    end

    redis.call('SET', prefix .. 'r' .. key,
               written(prefix) .. table.concat(list), 'PXAT', whole(last))
end

-- Words of a command, with its name, if not 2: newer engines check the number.

local WORDS = { ['client|kill'] = 3, ['function|load'] = 3, hdel = 3, hget = 3,
                hmget = 3, hset = 4, incrby = 3, lrange = 4, pexpire = 3,
                ltrim = 4, publish = 3, rpush = 3, set = 3, time = 1, wait = 3, xadd = 5, xdel = 3,
                xrange = 4, xtrim = 4,
                zadd = 4, zcount = 4, zrangebyscore = 4, zrem = 3, zscore = 3 }

-- Returns the name of a command that the user may not use, with the channels
-- that it needs.

local function denied(prefix, command)
    if command == 'publish' or command == 'subscribe' then
        command = command .. ' &' .. prefix .. '*'
    end

    return redis.error_reply('PARLEYPERM ' .. command)
end

-- Enters a node, or a worker of it again.  ARGV: run id of the engine,
-- fingerprint of the key, the oldest and the newest format that the node reads,
-- node, text of the node, highest generation that the caller knows, lease, and
-- then the commands that the functions use.  Returns the generation, the time,
-- the number of nodes, the format that is written.

local function enter(keys, argv)
    local prefix, run, key, node = keys[1], argv[1], argv[2], argv[4]
    local oldest, newest = argv[3]:sub(1, 1), argv[3]:sub(2, 2)

    for i = 8, #argv do
        local name, more = argv[i]:match('^([^|]+)|?(.*)$')
        local words = { name, more ~= '' and more or prefix .. 'v', '1', '1',
                        '1' }

        if not redis.acl_check_cmd(unpack(words, 1, WORDS[argv[i]] or 2)) then
            return denied(prefix, argv[i])
        end
    end

    local now, lease = clock(), tonumber(argv[7])
    local v = redis.call('HMGET', prefix .. 'v', 'key', 'format', 'run',
                         'generation')

    if v[1] and v[1] ~= key then
        return redis.error_reply('PARLEYKEY another key')
    end

    -- the node can read neither its values nor those of the version before it

    if v[2] and not within(v[2], oldest, string.char(newest:byte() + 1)) then
        return redis.error_reply('PARLEYFORMAT ' .. v[2])
    end

    local from, format = agreed(prefix, node, oldest, newest, now, lease)

    if from:byte() > format:byte() then
        return redis.error_reply('PARLEYFORMAT ' .. from)
    end

    -- a node that enters an emptied store may not know the generation before

    local generation = tonumber(v[4] or now)

    if v[3] ~= run then
        generation = math.max(generation, tonumber(argv[6])) + 1

        redis.call('HSET', prefix .. 'v', 'key', key, 'run', run,
                   'generation', whole(generation))
    end

    renew(prefix, node, now, lease)
    redis.call('HSET', prefix .. 'c', node, argv[3] .. argv[5])

    return { whole(generation), whole(now), living(prefix, now),
             write_format(prefix, format) }
end

-- Renews a lease; forgets nodes that have been away for an hour, and shared
-- records that have ended.  ARGV: node, lease.  Returns the time, the number of
-- nodes and the format that is written, then node, end of the lease and text of
-- each, at most 64; or 0 if the lease was over.

local function renew_lease(keys, argv)
    local prefix, node, lease = keys[1], argv[1], tonumber(argv[2])
    local now = clock()

    if not alive(prefix, node, now, lease) then
        return 0
    end

    renew(prefix, node, now, lease)

    local old = redis.call('ZRANGEBYSCORE', prefix .. 'm', '-inf',
                           now - TOMBSTONE, 'LIMIT', 0, 16)

    for i = 1, #old do
        redis.call('ZREM', prefix .. 'm', old[i])
        redis.call('HDEL', prefix .. 'c', old[i])
    end

    local ended = redis.call('ZRANGEBYSCORE', prefix .. 'w', '-inf', now,
                             'LIMIT', 0, PAGE)

    for i = 1, #ended do
        redis.call('HDEL', prefix .. 'y', ended[i])
        redis.call('ZREM', prefix .. 'z', ended[i])
        redis.call('ZREM', prefix .. 'w', ended[i])
    end

    local _, format = agreed(prefix, node, OLDEST, NEWEST, now, lease)

    local ret = { whole(now), living(prefix, now),
                  write_format(prefix, format) }
    local nodes = redis.call('ZRANGEBYSCORE', prefix .. 'm', now, '+inf',
                             'WITHSCORES', 'LIMIT', 0, PAGE)

    for i = 1, #nodes, 2 do
        ret[#ret + 1] = nodes[i]
        ret[#ret + 1] = whole(nodes[i + 1])
        ret[#ret + 1] = redis.call('HGET', prefix .. 'c', nodes[i]) or ''
    end

    return ret
end

-- Removes a node that stops from the list of nodes.  ARGV: node, time until which
-- it does not start again.

local function quit(keys, argv)
    if clock() > tonumber(argv[2]) then
        return 0
    end

    redis.call('ZREM', keys[1] .. 'm', argv[1])
    redis.call('HDEL', keys[1] .. 'c', argv[1])

    return 1
end

-- Returns whether the stamp of a holder is below that of another one.

local function is_older(holder, other)
    local low, high = struct.unpack('<I4I4', holder, 9)
    local low_other, high_other = struct.unpack('<I4I4', other, 9)

    return high < high_other or (high == high_other and low < low_other)
end

-- Returns nil if holder can have an id or slot; else its state, 'r' or 't', or
-- '?' if its format is unknown.  Then also its print.

local function held(prefix, octets, holder, now, lease)
    if not octets then
        return nil
    end

    local state, print, has = read_id(octets)

    if not state then
        return '?'
    end

    if has == holder then
        return nil
    end

    if state == 't' then
        return 't', print
    end

    -- the zone of its node has decided that the older reservation is over; its
    -- command may come later than that of the newer one

    if has:sub(1, 8) == holder:sub(1, 8) and is_older(has, holder) then
        return nil
    end

    if alive(prefix, has:sub(1, 8), now, lease) then
        return 'r', print
    end
end

-- Returns the end of the debt of a limit, at most that of its rate and OTHERS.

local function debt(prefix, key, interval, burst, now)
    local till = tonumber(redis.call('GET', prefix .. 'l' .. key) or 0)

    return math.min(math.max(till, now),
                    now + interval * (burst + 1) + OTHERS)
end

-- A count that is given back can end a debt.

local function store_debt(prefix, key, till, now)
    if till > now then
        redis.call('SET', prefix .. 'l' .. key, whole(till), 'PX',
                   whole(math.ceil((till - now) / 1000) + 1))
    else
        redis.call('DEL', prefix .. 'l' .. key)
    end
end

-- Checks the limits of argv[first] to argv[last], the first of which has the
-- number 0 at argv[8].  Returns the ends of their debts with one message more;
-- or nil, and the number of the limit that is over and the us of its debt.

local function room(prefix, argv, first, last, now)
    local ret = {}

    for i = first, last, 3 do
        local interval, burst = tonumber(argv[i + 1]), tonumber(argv[i + 2])
        local till = debt(prefix, argv[i], interval, burst, now)

        if till - now > interval * burst then
            return nil, { whole((i - 8) / 3), whole(till - now) }
        end

        ret[i] = till + interval
    end

    return ret
end

local function count(prefix, argv, debts, now)
    for i, till in pairs(debts) do
        store_debt(prefix, argv[i], till, now)
    end
end

-- Returns why an admission cannot have an id and a slot, or nil.

local function taken(prefix, argv, id, slot, now)
    local holder, print, lease = argv[1], argv[2], tonumber(argv[6])
    local has, printed = held(prefix, id, holder, now, lease)

    if has == '?' then
        return 'unreadable'
    end

    if has then
        if printed ~= print then
            return 'other'
        end

        return has == 't' and 'duplicate' or 'in-flight'
    end

    has = held(prefix, slot, holder, now, lease)

    if has == '?' then
        return 'unreadable'
    end

    return has and (has == 't' and 'answered' or 'answering')
end

-- Returns the state of an id or slot if holder has it, else nil.

local function own(octets, holder)
    local state, _, has = read_id(octets or OLDEST)

    return has == holder and state or nil
end

-- Admits a message: its id and the slot that it answers, both or neither.
-- ARGV: holder, print, key of the id or '', key of the slot or '', ms that they
-- stay reserved, lease, number of limits that count the message also if it is
-- refused, then key, interval in us and burst of each, and of each that counts
-- it if it is admitted.  Returns 'ok', 'other', 'duplicate', 'in-flight',
-- 'answered', 'answering', or 'unreadable' if the format is unknown; or the
-- number of a limit that is over and its debt.

local function admit(keys, argv)
    local prefix, holder, us = keys[1], argv[1], micros()
    local now, last = math.floor(us / 1000), 7 + 3 * tonumber(argv[7] or 0)
    local id = argv[3] ~= '' and redis.call('GET', prefix .. 'i' .. argv[3])
    local slot = argv[4] ~= '' and redis.call('GET', prefix .. 's' .. argv[4])
    local again = own(id, holder)

    -- an id that this admission has taken already

    if again == 't' then
        return 'ok'
    end

    -- a call that is sent again was counted

    again = again or own(slot, holder)

    local limits, quotas, over = {}, {}, nil

    if not again then
        limits, over = room(prefix, argv, 8, last, us)

        if over then
            return over
        end
    end

    local why = taken(prefix, argv, id, slot, now)

    if not why and not again then
        quotas, why = room(prefix, argv, last + 1, #argv, us)
    end

    count(prefix, argv, limits, us)

    if why then
        return why
    end

    count(prefix, argv, quotas, us)

    if argv[4] ~= '' then
        redis.call('SET', prefix .. 's' .. argv[4],
                   write_id(prefix, 'r', '', holder), 'PX', argv[5])
    end

    if argv[3] ~= '' then
        redis.call('SET', prefix .. 'i' .. argv[3],
                   write_id(prefix, 'r', argv[2], holder), 'PX', argv[5])
    end

    return 'ok'
end

-- Returns what p1_admit would return about an id, and changes nothing.  ARGV: as
-- of p1_admit.

local function look(keys, argv)
    local id = redis.call('GET', keys[1] .. 'i' .. argv[3])

    return taken(keys[1], argv, id, nil, clock()) or 'ok'
end

-- Returns the generation of a shared record, or nil if it was dropped or has an
-- unknown format.

local function generation_of(octets)
    if octets and octets ~= '' and within(octets, OLDEST, NEWEST) then
        return octets:sub(6, 9)
    end
end

-- Notes a change of a shared record; '' is a dropped one.

local function change(prefix, field, entry, till)
    local n = redis.call('INCR', prefix .. 'k')

    redis.call('HSET', prefix .. 'y', field, entry)
    redis.call('ZADD', prefix .. 'z', n, field)
    redis.call('ZADD', prefix .. 'w', till, field)
end

local function drop_shared(prefix, field, generation, now)
    local old = redis.call('HGET', prefix .. 'y', field)

    if old and old ~= ''
       and (generation == '\0\0\0\0' or generation_of(old) == generation)
    then
        change(prefix, field, '', now + TOMBSTONE)
    end
end

local function drop_record(prefix, key, tag, generation, now)
    local list, n = {}, 0

    entries(redis.call('GET', prefix .. 'r' .. key), now,
        function(entry, t, g)
            if t == tag and (generation == '\0\0\0\0' or g == generation) then
                n = n + 1
            else
                list[#list + 1] = entry
            end
        end)

    if n > 0 then
        store_entries(prefix, key, list, now)
    end
end

-- Returns the entries of the questions that a message closes, with it as closed,
-- by key; 1 if another message has closed one, else 0; and 4 if a value has an
-- unknown format, which stays, else 0.

local function closings(prefix, argv, now)
    local holder, late, closed, unreadable = argv[1], 0, {}, 0

    for i = 8, 7 + 2 * tonumber(argv[7]), 2 do
        local list = {}

        local known = entries(redis.call('GET', prefix .. 'r' .. argv[i]), now,
            function(entry, tag, generation, is_closed)
                if tag == argv[i + 1] then
                    if is_closed ~= '1' then
                        entry = entry:sub(1, 9) .. '1' .. entry:sub(11, 18)
                                .. struct.pack('<I4', #holder) .. holder
                    elseif entry:sub(HEAD + 1) ~= holder then
                        late = 1
                    end
                end

                list[#list + 1] = entry
            end)

        closed[argv[i]] = list
        unreadable = known and unreadable or 4
    end

    return closed, late, unreadable
end

-- Settles a message as taken.  ARGV: holder, print, key of the id or '', its
-- ms, key of the slot or '', its ms, number of questions to close, key and tag
-- of each, then kind, key, tag and generation of each suspension to end.
-- Returns 1 if a question was closed before by another message, else 0; 2 more
-- if another admission has taken the id; 4 more if a value has an unknown
-- format, which stays.  An append also passes the time: the message holds its
-- id.

local function settle(keys, argv, held)
    local prefix, holder, now, forked = keys[1], argv[1], held or clock(), 0
    local closed, late, unreadable = closings(prefix, argv, now)

    if argv[5] ~= '' then
        redis.call('SET', prefix .. 's' .. argv[5],
                   write_id(prefix, 't', '', holder), 'PX', argv[6])
    end

    for key, list in pairs(closed) do
        if #list > 0 then
            store_entries(prefix, key, list, now)
        end
    end

    for i = 8 + 2 * tonumber(argv[7]), #argv, 4 do
        drop_shared(prefix, argv[i] .. argv[i + 1] .. argv[i + 2], argv[i + 3],
                    now)
    end

    if argv[3] ~= '' then
        local id = prefix .. 'i' .. argv[3]
        local old = not held and redis.call('GET', id)
        local state, _, has = read_id(old or OLDEST)

        if old and not state then
            unreadable = 4
        elseif old and state == 't' and has ~= holder then
            forked = 2
        end

        redis.call('SET', id, write_id(prefix, 't', argv[2], holder), 'PX',
                   argv[4])
    end

    return late + forked + unreadable
end

-- Gives an admission back.  ARGV: holder, key of the id or '', key of the slot
-- or '', number of limits that count it no longer, key and interval in us of
-- each, then key, tag and generation of each record to drop.

local function free(keys, argv)
    local prefix, holder, us = keys[1], argv[1], micros()
    local now, last = math.floor(us / 1000), 4 + 2 * tonumber(argv[4])
    local back = false
    local id, slot = prefix .. 'i' .. argv[2], prefix .. 's' .. argv[3]

    if argv[2] ~= '' then
        local state, _, has = read_id(redis.call('GET', id) or OLDEST)

        if state and has == holder then
            if state == 't' then
                return 0
            end

            redis.call('DEL', id)
            back = true
        end
    end

    if argv[3] ~= '' then
        local state, _, has = read_id(redis.call('GET', slot) or OLDEST)

        if state == 'r' and has == holder then
            redis.call('DEL', slot)
            back = true
        end
    end

    for i = 5, back and last or 0, 2 do
        local till = tonumber(redis.call('GET', prefix .. 'l' .. argv[i]) or 0)

        store_debt(prefix, argv[i], till - tonumber(argv[i + 1]), us)
    end

    for i = last + 1, #argv, 3 do
        drop_record(prefix, argv[i], argv[i + 1], argv[i + 2], now)
    end

    return 1
end

-- Puts a record.  ARGV: key, entry without its end, value, ms, generation that
-- it replaces or '', key of the id that must be held or '', holder.  Returns
-- 'ok', 'stale', 'share', or 'unreadable' if other records have an unknown
-- format.

local function put(keys, argv)
    local prefix, now = keys[1], clock()
    local head, replaces = argv[2], argv[5]

    if argv[6] ~= '' then
        local _, _, has = read_id(redis.call('GET', prefix .. 'i' .. argv[6])
                                  or OLDEST)

        if has ~= argv[7] then
            return 'stale'
        end
    end

    local entry = head .. struct.pack('<I8I4', now + tonumber(argv[4]),
                                      #argv[3]) .. argv[3]
    local tag, generation = head:sub(1, 4), head:sub(5, 8)
    local list, owned, oldest, old, octets = { entry }, 0, nil, nil, #entry

    local known = entries(redis.call('GET', prefix .. 'r' .. argv[1]), now,
        function(e, t, g)
            if t == tag then
                old = g
                return
            end

            list[#list + 1] = e
            octets = octets + #e

            -- the upper half of a tag is the owner

            if t:sub(3, 4) == tag:sub(3, 4) then
                owned = owned + 1

                if e:sub(9, 9) ~= GUARANTEED then
                    oldest = #list
                end
            end
        end)

    if not known then
        return 'unreadable'
    end

    -- the generation of the record itself: the call was sent again

    if replaces ~= '' and old ~= replaces and old ~= generation then
        return 'stale'
    end

    if octets > OCTETS then
        return 'share'
    end

    if owned >= OWNED or #list > RECORDS then
        if not oldest then
            return 'share'
        end

        table.remove(list, oldest)
    end

    store_entries(prefix, argv[1], list, now)

    return 'ok'
end

-- Drops a record.  ARGV: key, tag, generation (zero: any).

local function drop(keys, argv)
    drop_record(keys[1], argv[1], argv[2], argv[3], clock())

    return 1
end

-- Puts a record that all nodes have in their zones.  ARGV: field, entry without
-- its end, value, ms, 'any', 'fresh' (also not if it was dropped).

local function share(keys, argv)
    local prefix, field, now = keys[1], argv[1], clock()
    local till = now + tonumber(argv[4])
    local old = redis.call('HGET', prefix .. 'y', field)

    if old and argv[5] == 'fresh' then
        return 'stale'
    end

    if generation_of(old) ~= argv[2]:sub(5, 8) then
        change(prefix, field, written(prefix) .. argv[2]
                              .. struct.pack('<I8I4', till, #argv[3])
                              .. argv[3], till)
    end

    return 'ok'
end

-- ARGV: field, generation (zero: any).

local function unshare(keys, argv)
    drop_shared(keys[1], argv[1], argv[2], clock())

    return 1
end

-- Returns the shared records that changed after a number, at most 64: the
-- number up to which the list goes, the time, the format that is written, then
-- field and value of each.

local function changes(keys, argv)
    local prefix = keys[1]
    local list = redis.call('ZRANGEBYSCORE', prefix .. 'z', '(' .. argv[1],
                            '+inf', 'WITHSCORES', 'LIMIT', 0, PAGE)
    local ret = { argv[1], whole(clock()), written(prefix) }

    if #list < 2 * PAGE then
        ret[1] = redis.call('GET', prefix .. 'k') or argv[1]
    end

    for i = 1, #list, 2 do
        ret[1] = #list < 2 * PAGE and ret[1] or list[i + 1]
        ret[#ret + 1] = list[i]
        ret[#ret + 1] = redis.call('HGET', prefix .. 'y', list[i]) or ''
    end

    return ret
end

-- Adds counts to limits.  ARGV: for each limit its key, interval in us, burst,
-- count.  Returns the us until the debt of each ends.

local function rates(keys, argv)
    local prefix, now, ret = keys[1], micros(), {}

    for i = 1, #argv, 4 do
        local interval, burst = tonumber(argv[i + 1]), tonumber(argv[i + 2])
        local till = debt(prefix, argv[i], interval, burst, now)
                     + interval * tonumber(argv[i + 3])

        till = math.min(till, now + interval * (burst + 1) + OTHERS)
        store_debt(prefix, argv[i], till, now)
        ret[#ret + 1] = whole(math.max(till - now, 0))
    end

    return ret
end

-- Begins or continues the order of steps.  ARGV: generation, number of the last
-- step that the zone of the caller has.  Numbers that a failover lost, or that
-- were of an emptied store, are not given again: its numbers begin with the time.
-- Returns 1; 0 if the generation is another one now.

local function order(keys, argv)
    local prefix = keys[1]

    if redis.call('HGET', prefix .. 'v', 'generation') ~= argv[1] then
        return 0
    end

    local n = tonumber(redis.call('GET', prefix .. 'n') or clock() * NUMBERS)
    local known = tonumber(argv[2])

    if redis.call('GET', prefix .. 'g') ~= argv[1] or known > n then
        redis.call('SET', prefix .. 'n', whole(math.max(n, known) + BEYOND))
        redis.call('SET', prefix .. 'g', argv[1])
    end

    return 1
end

-- Removes the oldest steps that have ended, and those for which there is no
-- room: a large step takes the room of many small ones.

local function trim(prefix, room, octets, now)
    local n, last = 0, nil
    local ended = octets > room and TRIM_FULL or TRIM
    local list, reads = nil, ended

    repeat
        list = redis.call('LRANGE', prefix .. 'q', n, n + reads - 1)

        for i = 1, #list do
            local number, till, size = list[i]:match('^(%d+) (%d+) (%d+)$')

            if octets <= room and (n >= ended or tonumber(till) > now) then
                break
            end

            octets, n, last = octets - tonumber(size), n + 1, number
        end

        reads = TRIM_READ
    until octets <= room or #list == 0 or n >= TRIM_MOST

    if last then
        redis.call('LTRIM', prefix .. 'q', n, -1)
        redis.call('XTRIM', prefix .. 'f', 'MINID',
                   whole(tonumber(last) + 1) .. '-0')
        redis.call('SET', prefix .. 'o', whole(octets))
        redis.call('SET', prefix .. 'b', last)
    end
end

-- Adds a step that nodes can read for ms.  Returns its number.

local function add(prefix, content, places, ms, room, now)
    local n = whole(redis.call('INCR', prefix .. 'n'))
    local size = #content + #places

    redis.call('XADD', prefix .. 'f', n .. '-0', 'e', content, 'p', places,
               't', whole(now))
    redis.call('RPUSH', prefix .. 'q', n .. ' ' .. whole(now + tonumber(ms))
                                         .. ' ' .. whole(size))
    local octets = redis.call('INCRBY', prefix .. 'o', size)
    redis.call('PUBLISH', prefix .. 'f', '1' .. content:sub(3, 10)
               .. struct.pack('<I8I4', tonumber(n), #places)
               .. (size <= TOLD and places .. content or ''))

    room = tonumber(room)

    if octets > room or tonumber(n) % TRIMS == 0 then
        trim(prefix, room, octets, now)
    end

    return n
end

-- Returns epoch, offset and '1' if it is closed of a log; a log of an earlier
-- generation has ended.

local function head(prefix, key, generation, epoch)
    local old = redis.call('GET', prefix .. 'h' .. key)

    if old then
        local of, has, last, closed = struct.unpack('<I8I8I8c1', old, 2)

        if of == tonumber(generation) then
            return has, last, closed
        end
    end

    return tonumber(epoch), 0, '0'
end

-- A log ends no earlier than was promised before.

local function keep_head(prefix, key, generation, epoch, last, closed, ms)
    local value = '1' .. struct.pack('<I8I8I8c1', tonumber(generation), epoch,
                                     last, closed)

    redis.call('PEXPIRE', prefix .. 'h' .. key, ms, 'GT')

    if not redis.call('SET', prefix .. 'h' .. key, value, 'XX', 'KEEPTTL') then
        redis.call('SET', prefix .. 'h' .. key, value, 'PX', ms)
    end
end

-- Returns whether an admission holds its id and its slot.

local function holds(prefix, argv)
    local function is(key)
        return own(redis.call('GET', key), argv[1]) == 'r'
    end

    return (argv[3] == '' or is(prefix .. 'i' .. argv[3]))
           and (argv[5] == '' or is(prefix .. 's' .. argv[5]))
end

-- Appends a record to logs.  ARGV: generation, content, ms that nodes can read
-- it, octets of all steps, epoch of logs that do not exist, ms that a log stays,
-- '1': closes the logs, keys of the logs, and then the arguments of p1_settle for
-- the message that the append takes.  Returns its number and places, or
-- 'generation', 'closed', 'stale' or 'late'.

local function append(keys, argv)
    local prefix, generation = keys[1], argv[1]
    local now, logs, places = clock(), {}, {}
    local takes = nil

    if redis.call('GET', prefix .. 'g') ~= generation then
        return 'generation'
    end

    for at = 1, #argv[8], 16 do
        local key = argv[8]:sub(at, at + 15)
        local epoch, last, closed = head(prefix, key, generation, argv[5])

        if closed == '1' then
            return 'closed'
        end

        logs[#logs + 1] = { key, epoch, last + 1 }
        places[#places + 1] = struct.pack('<I8I8', epoch, last + 1)
    end

    if #argv > 8 then
        takes = { unpack(argv, 9) }

        if not holds(prefix, takes) then
            return 'stale'
        end

        local _, late = closings(prefix, takes, now)

        if late == 1 then
            return 'late'
        end
    end

    for i = 1, #logs do
        keep_head(prefix, logs[i][1], generation, logs[i][2], logs[i][3],
                  argv[7], argv[6])
    end

    places = table.concat(places)

    local n = add(prefix, argv[2], places, argv[3], argv[4], now)

    if takes then
        settle(keys, takes, now)
    end

    return { n, places }
end

-- Adds a session to a log.  ARGV: generation, content, ms, octets of all steps,
-- epoch, ms that a log stays, key of the log.  Returns the number of the step
-- and the end of the log.

local function join(keys, argv)
    local prefix, generation, key, now = keys[1], argv[1], argv[7], clock()

    if redis.call('GET', prefix .. 'g') ~= generation then
        return 'generation'
    end

    local epoch, last, closed = head(prefix, key, generation, argv[5])
    local place = struct.pack('<I8I8', epoch, last)

    keep_head(prefix, key, generation, epoch, last, closed, argv[6])

    return { add(prefix, argv[2], place, argv[3], argv[4], now), place }
end

-- Adds a step without places.  ARGV: content, ms, octets of all steps, number of
-- a step to erase or ''.  Returns its number, or 'generation' if the store was
-- emptied.

local function say(keys, argv)
    if not redis.call('GET', keys[1] .. 'g') then
        return 'generation'
    end

    if argv[4] ~= '' then
        redis.call('XDEL', keys[1] .. 'f', argv[4] .. '-0')
    end

    return add(keys[1], argv[1], '', argv[2], argv[3], clock())
end

-- Adds the step by which a node adopts the jobs of another one, unless the lease
-- of that node has not ended.  ARGV: content, ms, octets of all steps, lease.
-- Returns its number, 'alive', or 'generation' as say.

local function adopt(keys, argv)
    local living = names(keys[1], clock(), tonumber(argv[4]))

    for i = 1, #living do
        if argv[1]:sub(23, 26) == living[i]:sub(1, 4) then
            return 'alive'
        end
    end

    return say(keys, { argv[1], argv[2], argv[3], '' })
end

-- Returns the steps after a number: number up to which the list goes, time,
-- number of the last step that was removed, '1' if there are more, and then
-- number, time, content and places of each.

local function feed(keys, argv)
    local prefix, octets, n, last = keys[1], 0, 0, argv[1]
    local ret = { redis.call('GET', prefix .. 'n') or '0', whole(clock()),
                  redis.call('GET', prefix .. 'b') or '0', '0' }
    local list

    repeat
        list = redis.call('XRANGE', prefix .. 'f',
                          whole(tonumber(last) + 1) .. '-0', '+',
                          'COUNT', STEPS_READ)

        for i = 1, #list do
            local step = list[i][2]

            octets = octets + #step[2] + #step[4]

            if n == STEPS or (n > 0 and octets > STEPS_OCTETS) then
                ret[1], ret[4] = last, '1'
                break
            end

            n, last = n + 1, list[i][1]:match('^%d+')

            ret[#ret + 1] = last
            ret[#ret + 1] = step[6]
            ret[#ret + 1] = step[2]
            ret[#ret + 1] = step[4]
        end
    until #list < STEPS_READ or ret[4] == '1'

    return ret
end

-- Keeps logs.  ARGV: ms, keys of the logs.

local function keep(keys, argv)
    for at = 1, #argv[2], 16 do
        redis.call('PEXPIRE', keys[1] .. 'h' .. argv[2]:sub(at, at + 15),
                   argv[1], 'GT')
    end

    return 1
end

-- Returns the names of the nodes whose leases have not ended.

local function nodes(keys, argv)
    return names(keys[1], clock(), tonumber(argv[1]))
end

local full = { 'allow-oom' }
local read = { 'no-writes' }

redis.register_function('p1_admit', admit)
redis.register_function('p1_put', put)
redis.register_function('p1_share', share)
redis.register_function('p1_rates', rates)
redis.register_function('p1_append', append)
redis.register_function('p1_join', join)
redis.register_function{ function_name = 'p1_order', callback = order,
                         flags = full }
redis.register_function{ function_name = 'p1_say', callback = say,
                         flags = full }
redis.register_function{ function_name = 'p1_adopt', callback = adopt,
                         flags = full }
redis.register_function{ function_name = 'p1_keep', callback = keep,
                         flags = full }
redis.register_function{ function_name = 'p1_feed', callback = feed,
                         flags = read }
redis.register_function{ function_name = 'p1_look', callback = look,
                         flags = read }
redis.register_function{ function_name = 'p1_nodes', callback = nodes,
                         flags = read }
redis.register_function{ function_name = 'p1_enter', callback = enter,
                         flags = full }
redis.register_function{ function_name = 'p1_renew', callback = renew_lease,
                         flags = full }
redis.register_function{ function_name = 'p1_quit', callback = quit,
                         flags = full }
redis.register_function{ function_name = 'p1_settle', callback = settle,
                         flags = full }
redis.register_function{ function_name = 'p1_free', callback = free,
                         flags = full }
redis.register_function{ function_name = 'p1_drop', callback = drop,
                         flags = full }
redis.register_function{ function_name = 'p1_unshare', callback = unshare,
                         flags = full }
redis.register_function{ function_name = 'p1_changes', callback = changes,
                         flags = read }
