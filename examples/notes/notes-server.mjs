// A small MCP server without dependencies: JSON-RPC 2.0 on stdin and stdout, one message per line. It stores its notes
// in .notes.json beside this file.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const file = new URL('.notes.json', import.meta.url)
const firstNotes = ['Call the dentist before Tuesday.', 'The bicycle needs a new chain.']

const readNotes = () => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : firstNotes)
const listed = (notes) => (notes.length === 0 ? 'There are no notes.' : notes.map((note) => `- ${note}`).join('\n'))

const tools = {
  list_notes: { description: 'Lists every note.', input: {}, run: () => listed(readNotes()) },
  search_notes: {
    description: 'Lists the notes that contain a word.',
    input: { query: { type: 'string', description: 'A word of the note' } },
    run: ({ query }) => listed(readNotes().filter((note) => note.toLowerCase().includes(query.toLowerCase()))),
  },
  add_note: {
    description: 'Adds one note.',
    input: { text: { type: 'string', description: 'The text of the note' } },
    run({ text }) {
      writeFileSync(file, `${JSON.stringify([...readNotes(), text], null, 2)}\n`)
      return `Noted: ${text}`
    },
  },
}

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'notes', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({
    tools: Object.entries(tools).map(([name, { description, input }]) => ({
      name,
      description,
      inputSchema: { type: 'object', properties: input, required: Object.keys(input) },
    })),
  }),
  'tools/call': ({ name, arguments: input = {} }) => {
    const tool = tools[name]
    const missing = Object.keys(tool?.input ?? {}).find((key) => typeof input[key] !== 'string')
    if (tool === undefined) return failed(`there is no tool "${name}"`)
    if (missing !== undefined) return failed(`"${missing}" must be text`)
    return { content: [{ type: 'text', text: tool.run(input) }] }
  },
}

const failed = (text) => ({ content: [{ type: 'text', text }], isError: true })
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params = {} } = JSON.parse(line)
  if (id === undefined) continue // a notification gets no answer
  const answer = methods[method]
  if (answer === undefined) send({ id, error: { code: -32601, message: `unknown method "${method}"` } })
  else send({ id, result: answer(params) })
}
