import type { Kysely, Migration } from 'kysely'

export const firstTables: Migration = {
  async up(db: Kysely<unknown>) {
    await createLog(db)
    await createSideRows(db)
    await createHolding(db)
  },
}

async function createLog({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('sessions')
    .addColumn('session_id', 'text', (column) => column.primaryKey())
    .addColumn('seq', 'integer', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('agent_name', 'text', (column) => column.notNull())
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .execute()
  // One index per filter, each in list order: a page takes as long among 100,000 sessions as among ten.
  const inOrder = ['created_at', 'session_id']
  await schema.createIndex('sessions_in_order').on('sessions').columns(inOrder).execute()
  await schema
    .createIndex('sessions_by_status')
    .on('sessions')
    .columns(['status', ...inOrder])
    .execute()
  await schema
    .createIndex('sessions_by_agent')
    .on('sessions')
    .columns(['agent_name', ...inOrder])
    .execute()
  await schema
    .createTable('session_tags')
    .addColumn('session_id', 'text', (column) => column.notNull().references('sessions.session_id'))
    .addColumn('tag', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('session_tags_key', ['session_id', 'tag'])
    .execute()
  await schema
    .createIndex('sessions_by_tag')
    .on('session_tags')
    .columns(['tag', ...inOrder])
    .execute()
  await schema
    .createTable('events')
    .addColumn('session_id', 'text', (column) => column.notNull().references('sessions.session_id'))
    .addColumn('seq', 'integer', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('at', 'text', (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('agent', 'text')
    .addColumn('turn_id', 'text')
    .addColumn('data', 'text', (column) => column.notNull())
    .addColumn('v', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('events_key', ['session_id', 'seq'])
    .execute()
}

async function createSideRows({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('approvals')
    .addColumn('approval_id', 'text', (column) => column.primaryKey())
    .addColumn('session_id', 'text', (column) => column.notNull().references('sessions.session_id'))
    .addColumn('is_open', 'integer', (column) => column.notNull())
    .addColumn('requested_at', 'text', (column) => column.notNull())
    .execute()
  await schema.createIndex('approvals_open').on('approvals').columns(['is_open', 'requested_at']).execute()
  await schema
    .createTable('ledger')
    .addColumn('session_id', 'text', (column) => column.notNull().references('sessions.session_id'))
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
    .addPrimaryKeyConstraint('ledger_key', ['session_id', 'api_message_id'])
    .execute()
  await schema
    .createTable('open_texts')
    .addColumn('session_id', 'text', (column) => column.notNull())
    .addColumn('message_id', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('opened_at', 'text', (column) => column.notNull())
    .addColumn('snapshot', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('open_texts_key', ['session_id', 'message_id', 'kind'])
    .execute()
  await schema
    .createTable('replies')
    .addColumn('principal', 'text', (column) => column.notNull())
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('body_hash', 'text', (column) => column.notNull())
    .addColumn('status', 'integer', (column) => column.notNull())
    .addColumn('body', 'text', (column) => column.notNull())
    .addColumn('saved_at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('replies_key', ['principal', 'key'])
    .execute()
  await schema.createIndex('replies_by_age').on('replies').columns(['saved_at']).execute()
}

async function createHolding(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('holders')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('pid', 'integer', (column) => column.notNull())
    .addColumn('start_time', 'text', (column) => column.notNull())
    .addColumn('address', 'text')
    .execute()
  await db.schema
    .createTable('leases')
    .addColumn('session_id', 'text', (column) => column.primaryKey())
    .addColumn('fencing', 'bigint', (column) => column.notNull())
    .addColumn('holder_id', 'text')
    .addColumn('holder', 'text')
    .execute()
  await db.schema.createIndex('leases_by_holder').on('leases').columns(['holder_id']).execute()
}
