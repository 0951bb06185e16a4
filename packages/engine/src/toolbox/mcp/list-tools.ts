// Lists the tools of an MCP server. An invalid tool does not affect the others.
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { cutText, type JsonObject, JsonObject as JsonObjectSchema } from '@quarterdeck/protocol'
import { z } from 'zod'

export interface ListedTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonObject
}

const Page = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().nullish() })

const Listed = z.looseObject({
  name: z.string().min(1),
  description: z.string().nullish(),
  inputSchema: JsonObjectSchema.refine(({ type }) => type === 'object', 'must be of type object'),
})

const mostPages = 100
/** Characters. The model reads a description in every turn. */
const longestDescription = 20_000

export interface Listing {
  readonly timeout: number
  /** Called when something is left out, with the reason. */
  readonly onOmitted: (why: string) => void
}

export async function listTools(client: Client, { timeout, onOmitted }: Listing): Promise<readonly ListedTool[]> {
  const tools: ListedTool[] = []
  let cursor: string | undefined
  for (let page = 0; page < mostPages; page += 1) {
    const params = cursor === undefined ? {} : { cursor }
    const { tools: some, nextCursor } = await client.request({ method: 'tools/list', params }, Page, { timeout })
    for (const one of some) {
      const tool = Listed.safeParse(one)
      if (tool.success) tools.push(listed(tool.data))
      else onOmitted(`the tool ${nameOf(one)} is left out: its name or its inputSchema is not valid`)
    }
    if (nextCursor == null) return tools
    cursor = nextCursor
  }
  onOmitted(`its list of tools is too long: everything after ${mostPages} pages is left out`)
  return tools
}

const listed = ({ name, description, inputSchema }: z.infer<typeof Listed>): ListedTool => ({
  name,
  description: cutText(description ?? '', longestDescription),
  inputSchema,
})

const nameOf = (tool: unknown): string =>
  typeof tool === 'object' && tool !== null && 'name' in tool && typeof tool.name === 'string'
    ? JSON.stringify(tool.name.slice(0, 100))
    : 'without a name'
