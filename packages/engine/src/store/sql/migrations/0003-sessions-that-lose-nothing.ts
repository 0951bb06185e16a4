import { parseJson } from '@quarterdeck/protocol'
import { type Kysely, type Migration, sql } from 'kysely'
import { z } from 'zod'
import { foldTitle } from '../log/fold-title.ts'
import { runStatements } from './run-statements.ts'

export const sessionsThatLoseNothing: Migration = {
  async up(db: Kysely<unknown>) {
    await runStatements(db, [
      ...asks,
      ...audit,
      ...keysAndBudgets,
      ...outbox,
      ...bookings,
      ...spending,
      ...begunAnswers,
    ])
    await runStatements(db, listColumns)
    await foldTitles(db)
    await runStatements(db, listOrder)
  },
}

/** Questions and client calls are asks like approvals. */
const asks = [
  `create table asks (
    ask_id text primary key, session_id text not null references sessions (session_id), is_open integer not null,
    asked_at text not null)`,
  'insert into asks select approval_id, session_id, is_open, requested_at from approvals',
  'drop table approvals',
  'create index asks_open on asks (is_open, asked_at)',
  'create index asks_by_session on asks (session_id)',
  'create table session_seeds (seed text primary key, session_id text not null references sessions (session_id))',
  'create index seeds_by_session on session_seeds (session_id)',
]

/** Without a foreign key: entries outlive the session. */
const audit = [
  `create table audit (
    seq bigint primary key, at text not null, principal text not null, action text not null,
    session_id text, event_seq integer, event_hash text,
    subject text not null, detail text not null, prev_hash text not null, hash text not null)`,
  // Only deletions are looked up by session, so only they need an index.
  `create index audit_deletions on audit (session_id, seq) where action = 'session.deleted'`,
  'create table audit_head (id integer primary key, entries bigint not null, hash text not null)',
  `insert into audit_head values (1, 0, '${'0'.repeat(64)}')`,
]

const keysAndBudgets = [
  `create table keys (
    id text primary key, name text not null unique, hash text not null unique, created_at text not null,
    revoked_at text)`,
  `create table budgets (
    id text primary key, scope text not null, subject text not null, period text not null, unit text not null,
    amount double precision not null, created_at text not null, created_by text not null)`,
  `create table budget_warnings (
    budget_id text not null references budgets (id), key text not null,
    constraint budget_warnings_key primary key (budget_id, key))`,
]

const outbox = [
  `create table outbox (
    id text primary key, webhook_id text not null, session_id text not null, seq integer not null, type text not null,
    at text not null, attempts integer not null, next_at text not null, last_error text, done_at text)`,
  'create index outbox_due on outbox (webhook_id, done_at, next_at)',
  'create index outbox_done on outbox (done_at)',
  'create index outbox_by_session on outbox (session_id)',
]

/** A new table instead of new columns: bookings outlive their session, and SQLite cannot drop a foreign key. */
const bookings = [
  `create table bookings (
    session_id text not null, api_message_id text not null, seq integer not null,
    request_id text not null, model text not null, served_model text not null,
    input_tokens bigint not null, output_tokens bigint not null,
    cache_read_tokens bigint not null, cache_write_tokens bigint not null,
    cost_usd double precision, source text not null, at text not null, owner text not null, agent_name text not null,
    units double precision not null, high_cost_usd double precision, is_estimated integer not null,
    constraint bookings_key primary key (session_id, api_message_id))`,
  `insert into bookings
    select l.session_id, l.api_message_id, l.seq, l.request_id, l.model, l.served_model, l.input_tokens, l.output_tokens,
      l.cache_read_tokens, l.cache_write_tokens, l.cost_usd, l.source, l.at, s.owner, s.agent_name, 0, null, 0
    from ledger l join sessions s on s.session_id = l.session_id`,
  'drop table ledger',
  'create index bookings_by_time on bookings (at)',
]

/** Daily sums of the bookings: the budget check before each request must not slow down as the ledger grows. */
const spending = [
  `create table spending (
    scope text not null, subject text not null, day text not null,
    usd double precision not null, units double precision not null,
    constraint spending_key primary key (scope, subject, day))`,
  ...Object.entries({ all: "''", agent: 'agent_name', user: 'owner' }).map(
    ([scope, subject]) => `insert into spending
      select '${scope}', ${subject}, substr(at, 1, 10), sum(coalesce(cost_usd, 0)), 0
      from bookings group by 2, 3`,
  ),
]

/** What is known of an answer before it can be booked. */
const begunAnswers = [
  `create table begun_answers (
    session_id text not null, api_message_id text not null, answer text not null,
    constraint begun_answers_key primary key (session_id, api_message_id))`,
]

const listColumns = [
  'alter table sessions add column is_archived integer default 0 not null',
  'alter table sessions add column is_hibernated integer default 0 not null',
  `alter table sessions add column folded_title text default '' not null`,
]

/** Every list excludes archived sessions or shows only them, so each index starts with that column. */
const listOrder = [
  'alter table session_tags add column is_archived integer default 0 not null',
  ...['in_order', 'by_status', 'by_agent', 'by_tag'].map((index) => `drop index sessions_${index}`),
  // Includes the title, so that a title search reads only the index.
  'create index sessions_in_order on sessions (is_archived, created_at, session_id, folded_title)',
  'create index sessions_by_status on sessions (status, is_archived, created_at, session_id)',
  'create index sessions_by_agent on sessions (agent_name, is_archived, created_at, session_id)',
  'create index sessions_by_owner on sessions (owner, is_archived, created_at, session_id)',
  'create index sessions_by_rest on sessions (is_hibernated, is_archived, created_at, session_id)',
  'create index sessions_by_tag on session_tags (tag, is_archived, created_at, session_id)',
]

const Titled = z.looseObject({ title: z.string().nullable() })
const sessionsPerPage = 500

/** Case is folded here, because databases fold it differently. */
async function foldTitles(db: Kysely<unknown>): Promise<void> {
  for (let last = ''; ; ) {
    const { rows } = await sql<{ session_id: string; state: string; created: string | null }>`
      select s.session_id, s.state, e.data as created
      from sessions s left join events e on e.session_id = s.session_id and e.seq = 1
      where s.session_id > ${last} order by s.session_id limit ${sessionsPerPage}`.execute(db)
    for (const { session_id, state, created } of rows) {
      // A state that cannot be read is folded again from the log; the first event has the original title.
      const title = foldTitle(titleOf(state) ?? titleOf(created ?? '') ?? '')
      if (title !== '')
        await sql`update sessions set folded_title = ${title} where session_id = ${session_id}`.execute(db)
      last = session_id
    }
    if (rows.length < sessionsPerPage) return
  }
}

/** `null` if it is damaged: one such row must not keep the whole database from being migrated. */
const titleOf = (json: string): string | null => Titled.safeParse(parseJson(json)).data?.title ?? null
