// The templates of `quarterdeck init`. Each is one of the examples, which the tests run.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export interface Template {
  readonly name: string
  /** Its folder in `examples/`. */
  readonly folder: string
  readonly summary: string
  /** The first message to try. */
  readonly firstMessage: string
  /** Lines of `.env.example` for the variables it reads besides the key. */
  readonly variables?: string
  /** A paragraph of the new README about these variables. */
  readonly about?: string
}

const netboxVariables = `# Your NetBox. Without an address the agent answers with data of a made-up company.
# NETBOX_URL=https://netbox.example.org
# NETBOX_TOKEN=
# LOG_LEVEL=INFO
`

const aboutNetbox = `
The agent answers with data of a made-up company until you connect your NetBox: set \`NETBOX_URL\` (its address) and \`NETBOX_TOKEN\` (an API token; a read-only one is enough) in \`.env\`, as in \`.env.example\`, and ask again. \`quarterdeck doctor\` starts its MCP server and lists the tools.
`

export const templates: readonly Template[] = [
  { name: 'chat', folder: 'hello', summary: 'a plain conversation', firstMessage: 'What can you do?' },
  {
    name: 'coder',
    folder: 'coder',
    summary: 'edits files and runs commands, with a subagent; asks before every change',
    firstMessage: 'Find and fix the failing test.',
  },
  {
    name: 'structured-output',
    folder: 'invoices',
    summary: 'answers with an object that matches a JSON Schema',
    firstMessage: 'Invoice HP-2041 of Harbour Paper: 20 reams of paper, 118.40 EUR',
  },
  {
    name: 'mcp',
    folder: 'notes',
    summary: 'uses tools of an MCP server, with a small server to start from',
    firstMessage: 'List my notes.',
  },
  {
    name: 'support',
    folder: 'support',
    summary: 'answers from a folder of documents, with a function in TypeScript',
    firstMessage: 'How many days do I have to return a bicycle?',
  },
  {
    name: 'netbox',
    folder: 'netbox',
    summary: 'answers from NetBox through an MCP server in TypeScript; uses made-up data without NetBox',
    firstMessage: 'How many sites are there?',
    variables: netboxVariables,
    about: aboutNetbox,
  },
]

/** A published package contains copies; a checkout uses the examples themselves. */
export function templatesFolder(): string {
  const isCheckout = existsSync(new URL('../../../src/index.ts', import.meta.url))
  return fileURLToPath(new URL(isCheckout ? '../../../../../examples/' : '../../templates/', import.meta.url))
}
