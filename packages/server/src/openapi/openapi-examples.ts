/** Example request bodies, by operation. */
export const requestExamples: Readonly<Record<string, object>> = {
  createSession: { agent: 'coder', message: 'List the files here and count them.', title: 'Count the files' },
  changeSession: { model: 'low', permissionMode: 'acceptEdits' },
  sendMessage: { content: 'Now the hidden ones too.', delivery: 'queued' },
  decideApproval: { decision: 'allow' },
  attachClient: {
    clientId: 'my-page',
    tools: [
      {
        name: 'open_page',
        description: 'Opens a page of this site.',
        inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
      },
    ],
  },
  createBudget: { scope: 'user', subject: 'ana', period: 'month', limit: 25 },
  createKey: { name: 'dashboard', scope: 'viewer', expiresAt: '2030-01-01T00:00:00Z' },
  generateSql: {
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
