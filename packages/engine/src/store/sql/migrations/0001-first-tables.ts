import type { Migration } from 'kysely'
import { runStatements } from './run-statements.ts'

export const firstTables: Migration = { up: (db) => runStatements(db, [...log, ...sideRows, ...holding]) }

// One index per filter, each in list order: a page takes as long among 100,000 sessions as among ten.
const log = [
  `create table sessions (
    session_id text primary key, seq integer not null, status text not null, agent_name text not null,
    owner text not null, created_at text not null, updated_at text not null, state text not null)`,
  'create index sessions_in_order on sessions (created_at, session_id)',
  'create index sessions_by_status on sessions (status, created_at, session_id)',
  'create index sessions_by_agent on sessions (agent_name, created_at, session_id)',
  `create table session_tags (
    session_id text not null references sessions (session_id), tag text not null, created_at text not null,
    constraint session_tags_key primary key (session_id, tag))`,
  'create index sessions_by_tag on session_tags (tag, created_at, session_id)',
  `create table events (
    session_id text not null references sessions (session_id), seq integer not null, id text not null, at text not null,
    type text not null, agent text, turn_id text, data text not null, v integer not null,
    constraint events_key primary key (session_id, seq))`,
]

const sideRows = [
  `create table approvals (
    approval_id text primary key, session_id text not null references sessions (session_id), is_open integer not null,
    requested_at text not null)`,
  'create index approvals_open on approvals (is_open, requested_at)',
  `create table ledger (
    session_id text not null references sessions (session_id), api_message_id text not null, seq integer not null,
    request_id text not null, model text not null, served_model text not null,
    input_tokens bigint not null, output_tokens bigint not null,
    cache_read_tokens bigint not null, cache_write_tokens bigint not null,
    cost_usd double precision, source text not null, at text not null,
    constraint ledger_key primary key (session_id, api_message_id))`,
  `create table open_texts (
    session_id text not null, message_id text not null, kind text not null, opened_at text not null,
    snapshot text not null,
    constraint open_texts_key primary key (session_id, message_id, kind))`,
  `create table replies (
    principal text not null, key text not null, body_hash text not null, status integer not null, body text not null,
    saved_at text not null,
    constraint replies_key primary key (principal, key))`,
  'create index replies_by_age on replies (saved_at)',
]

const holding = [
  `create table holders (
    id text primary key, role text not null, pid integer not null, start_time text not null, address text)`,
  'create table leases (session_id text primary key, fencing bigint not null, holder_id text, holder text)',
  'create index leases_by_holder on leases (holder_id)',
]
