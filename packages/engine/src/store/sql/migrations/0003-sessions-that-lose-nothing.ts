import { type Kysely, type Migration, sql } from 'kysely'
import { z } from 'zod'
import { foldTitle } from '../log/fold-title.ts'

export const sessionsThatLoseNothing: Migration = {
  async up(db: Kysely<unknown>) {
    await createAsks(db)
    await createAudit(db)
    await createKeysAndBudgets(db)
    await createOutbox(db)
    await rebuildLedger(db)
    await createBegunAnswers(db)
    await orderLists(db)
  },
}

/** Questions and client calls are asks like approvals. */
async function createAsks(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  await schema
    .createTable('asks')
    .addColumn('ask_id', 'text', (column) => column.primaryKey())
    .addColumn('session_id', 'text', (column) => column.notNull().references('sessions.session_id'))
    .addColumn('is_open', 'integer', (column) => column.notNull())
    .addColumn('asked_at', 'text', (column) => column.notNull())
    .execute()
  await sql`insert into asks select approval_id, session_id, is_open, requested_at from approvals`.execute(db)
  await schema.dropTable('approvals').execute()
  await schema.createIndex('asks_open').on('asks').columns(['is_open', 'asked_at']).execute()
  await schema.createIndex('asks_by_session').on('asks').columns(['session_id']).execute()
  await schema
    .createTable('session_seeds')
    .addColumn('seed', 'text', (column) => column.primaryKey())
    .addColumn('session_id', 'text', (column) => column.notNull().references('sessions.session_id'))
    .execute()
  await schema.createIndex('seeds_by_session').on('session_seeds').columns(['session_id']).execute()
}

/** Without a foreign key: entries outlive the session. */
async function createAudit(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  await schema
    .createTable('audit')
    .addColumn('seq', 'bigint', (column) => column.primaryKey())
    .addColumn('at', 'text', (column) => column.notNull())
    .addColumn('principal', 'text', (column) => column.notNull())
    .addColumn('action', 'text', (column) => column.notNull())
    .addColumn('session_id', 'text')
    .addColumn('event_seq', 'integer')
    .addColumn('event_hash', 'text')
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('detail', 'text', (column) => column.notNull())
    .addColumn('prev_hash', 'text', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull())
    .execute()
  // Only deletions are looked up by session, so only they need an index.
  await sql`create index audit_deletions on audit (session_id, seq) where action = 'session.deleted'`.execute(db)
  await schema
    .createTable('audit_head')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('entries', 'bigint', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull())
    .execute()
  await sql`insert into audit_head values (1, 0, ${sql.lit('0'.repeat(64))})`.execute(db)
}

async function createKeysAndBudgets({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('keys')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull().unique())
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('revoked_at', 'text')
    .execute()
  await schema
    .createTable('budgets')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('scope', 'text', (column) => column.notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('period', 'text', (column) => column.notNull())
    .addColumn('unit', 'text', (column) => column.notNull())
    .addColumn('amount', 'double precision', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('created_by', 'text', (column) => column.notNull())
    .execute()
  await schema
    .createTable('budget_warnings')
    .addColumn('budget_id', 'text', (column) => column.notNull().references('budgets.id'))
    .addColumn('key', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('budget_warnings_key', ['budget_id', 'key'])
    .execute()
}

async function createOutbox({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('outbox')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('webhook_id', 'text', (column) => column.notNull())
    .addColumn('session_id', 'text', (column) => column.notNull())
    .addColumn('seq', 'integer', (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('at', 'text', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('next_at', 'text', (column) => column.notNull())
    .addColumn('last_error', 'text')
    .addColumn('done_at', 'text')
    .execute()
  await schema.createIndex('outbox_due').on('outbox').columns(['webhook_id', 'done_at', 'next_at']).execute()
  await schema.createIndex('outbox_done').on('outbox').columns(['done_at']).execute()
  await schema.createIndex('outbox_by_session').on('outbox').columns(['session_id']).execute()
}

/** A new table instead of new columns: bookings outlive their session, and SQLite cannot drop a foreign key. */
async function rebuildLedger(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  await schema
    .createTable('bookings')
    .addColumn('session_id', 'text', (column) => column.notNull())
    .addColumn('api_message_id', 'text', (column) => column.notNull())
    .addColumn('seq', 'integer', (column) => column.notNull())
    .addColumn('request_id', 'text', (column) => column.notNull())
    .addColumn('model', 'text', (column) => column.notNull())
    .addColumn('served_model', 'text', (column) => column.notNull())
    .addColumn('input_tokens', 'bigint', (column) => column.notNull())
    .addColumn('output_tokens', 'bigint', (column) => column.notNull())
    .addColumn('cache_read_tokens', 'bigint', (column) => column.notNull())
    .addColumn('cache_write_tokens', 'bigint', (column) => column.notNull())
    .addColumn('cost_usd', 'double precision')
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('at', 'text', (column) => column.notNull())
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('agent_name', 'text', (column) => column.notNull())
    .addColumn('units', 'double precision', (column) => column.notNull())
    .addColumn('high_cost_usd', 'double precision')
    .addColumn('is_estimated', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('bookings_key', ['session_id', 'api_message_id'])
    .execute()
  await sql`insert into bookings
    select l.session_id, l.api_message_id, l.seq, l.request_id, l.model, l.served_model, l.input_tokens, l.output_tokens,
      l.cache_read_tokens, l.cache_write_tokens, l.cost_usd, l.source, l.at, s.owner, s.agent_name, 0, null, 0
    from ledger l join sessions s on s.session_id = l.session_id`.execute(db)
  await schema.dropTable('ledger').execute()
  await schema.createIndex('bookings_by_time').on('bookings').columns(['at']).execute()
  await createSpending(db)
}

/** What is known of an answer before it can be booked. */
async function createBegunAnswers({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('begun_answers')
    .addColumn('session_id', 'text', (column) => column.notNull())
    .addColumn('api_message_id', 'text', (column) => column.notNull())
    .addColumn('answer', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('begun_answers_key', ['session_id', 'api_message_id'])
    .execute()
}

/** Daily sums of the bookings: the budget check before each request must not slow down as the ledger grows. */
async function createSpending(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('spending')
    .addColumn('scope', 'text', (column) => column.notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('day', 'text', (column) => column.notNull())
    .addColumn('usd', 'double precision', (column) => column.notNull())
    .addColumn('units', 'double precision', (column) => column.notNull())
    .addPrimaryKeyConstraint('spending_key', ['scope', 'subject', 'day'])
    .execute()
  const scopes = { all: sql`''`, agent: sql.ref('agent_name'), user: sql.ref('owner') }
  for (const [scope, subject] of Object.entries(scopes)) {
    await sql`insert into spending
      select ${sql.lit(scope)}, ${subject}, substr(at, 1, 10), sum(coalesce(cost_usd, 0)), 0
      from bookings group by 2, 3`.execute(db)
  }
}

/** Every list excludes archived sessions or shows only them, so each index starts with that column. */
async function orderLists(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  await schema
    .alterTable('sessions')
    .addColumn('is_archived', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
  await schema
    .alterTable('sessions')
    .addColumn('is_hibernated', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
  await schema
    .alterTable('sessions')
    .addColumn('folded_title', 'text', (column) => column.notNull().defaultTo(''))
    .execute()
  await foldTitles(db)
  await schema
    .alterTable('session_tags')
    .addColumn('is_archived', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
  for (const index of ['in_order', 'by_status', 'by_agent', 'by_tag']) {
    await schema.dropIndex(`sessions_${index}`).execute()
  }
  const inOrder = ['is_archived', 'created_at', 'session_id']
  const indexes: Readonly<Record<string, readonly string[]>> = {
    // Includes the title, so that a title search reads only the index.
    sessions_in_order: [...inOrder, 'folded_title'],
    sessions_by_status: ['status', ...inOrder],
    sessions_by_agent: ['agent_name', ...inOrder],
    sessions_by_owner: ['owner', ...inOrder],
    sessions_by_rest: ['is_hibernated', ...inOrder],
  }
  for (const [name, columns] of Object.entries(indexes)) {
    await schema
      .createIndex(name)
      .on('sessions')
      .columns([...columns])
      .execute()
  }
  await schema
    .createIndex('sessions_by_tag')
    .on('session_tags')
    .columns(['tag', ...inOrder])
    .execute()
}

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

function titleOf(json: string): string | null {
  try {
    return Titled.safeParse(JSON.parse(json)).data?.title ?? null
  } catch {
    // Damaged: one such row must not keep the whole database from being migrated.
    return null
  }
}
