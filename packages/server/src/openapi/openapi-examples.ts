/** Example request bodies, by operation. */
export const requestExamples: Readonly<Record<string, object>> = {
  'sessions.create': { agent: 'coder', message: 'List the files here and count them.', title: 'Count the files' },
  'sessions.change': { model: 'low', permissionMode: 'acceptEdits' },
  'messages.send': { content: 'Now the hidden ones too.', delivery: 'queued' },
  'approvals.decide': { decision: 'allow' },
  'clients.attach': {
    clientId: 'my-page',
    tools: [
      {
        name: 'open_page',
        description: 'Opens a page of this site.',
        inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
      },
    ],
  },
  'money.createBudget': { scope: 'user', subject: 'ana', period: 'month', limit: 25 },
  'keys.create': { name: 'dashboard', scope: 'viewer', expiresAt: '2030-01-01T00:00:00Z' },
  'analysis.generateSql': {
    question: 'How many orders were there in May?',
    tables: [
      {
        name: 'orders',
        columns: [
          { name: 'id', type: 'INTEGER' },
          { name: 'placed_at', type: 'DATE' },
        ],
      },
    ],
  },
}
