// What `quarterdeck init` can begin with. Each template is one of the examples: one source, run by the tests.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export interface Template {
  readonly name: string
  /** Its folder among the examples. */
  readonly folder: string
  readonly summary: string
  /** What to tell it first. */
  readonly firstMessage: string
  /** Lines of `.env.example` for what it reads beside the key. */
  readonly variables?: string
  /** A paragraph of the new README about what it reads. */
  readonly about?: string
}

const netboxVariables = `# Your NetBox. Without an address the agent answers from a made-up company.
# NETBOX_URL=https://netbox.example.org
# NETBOX_TOKEN=
# LOG_LEVEL=INFO
`

const aboutNetbox = `
It answers from a made-up company until it knows your NetBox: set \`NETBOX_URL\` (its address) and \`NETBOX_TOKEN\` (an API token; one that may only read is enough) in \`.env\`, as in \`.env.example\`, and ask again. \`quarterdeck doctor\` starts its MCP server and lists the tools.
`

export const templates: readonly Template[] = [
  { name: 'chat', folder: 'hello', summary: 'a conversation, nothing else', firstMessage: 'What can you do?' },
  {
    name: 'coder',
    folder: 'coder',
    summary: 'works on files and runs commands, with a subagent; every change asks first',
    firstMessage: 'Find and fix the failing test.',
  },
  {
    name: 'structured-output',
    folder: 'invoices',
    summary: 'answers with an object that keeps a JSON Schema',
    firstMessage: 'Invoice HP-2041 of Harbour Paper: 20 reams of paper, 118.40 EUR',
  },
  {
    name: 'mcp',
    folder: 'notes',
    summary: 'tools of an MCP server, with a small server to start from',
    firstMessage: 'List my notes.',
  },
  {
    name: 'support',
    folder: 'support',
    summary: 'answers from a folder of documents, and a function in TypeScript',
    firstMessage: 'How many days do I have to return a bicycle?',
  },
  {
    name: 'netbox',
    folder: 'netbox',
    summary: 'answers from NetBox through an MCP server in TypeScript; made-up data without one',
    firstMessage: 'How many sites are there?',
    variables: netboxVariables,
    about: aboutNetbox,
  },
]

/** A published package carries copies; in a checkout the examples themselves are read. */
export function templatesFolder(): string {
  const isCheckout = existsSync(new URL('../../../src/index.ts', import.meta.url))
  return fileURLToPath(new URL(isCheckout ? '../../../../../examples/' : '../../templates/', import.meta.url))
}
