// Three tools, all of them read-only.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'
import { type NetboxClient, NetboxError } from './netbox-client.ts'
import { objectType, objectTypes } from './object-types.ts'
import { asText, oneAsText, readPage } from './page.ts'
import { paging, queryOf, selection } from './query.ts'

export interface NetboxServerOptions {
  readonly netbox: NetboxClient
  /** The data is made up, and every answer says so. */
  readonly isDemo: boolean
}

// Checked by `objectType`, which accepts more spellings and lists all names in its error.
const type = z
  .string()
  .describe('Kind of object, as in the API of NetBox')
  .meta({ enum: [...objectTypes] })

export function createNetboxServer({ netbox, isDemo }: NetboxServerOptions): McpServer {
  const server = new McpServer({ name: 'netbox', version: '1.0.0' })
  const source = isDemo ? 'made-up demo data, no real NetBox' : undefined
  const changes = createChangelog(netbox)
  const annotations = { readOnlyHint: true, openWorldHint: !isDemo }

  server.registerTool(
    'netbox_get_objects',
    {
      description: `Counts and lists objects of one kind in NetBox. "count" is how many there are in all, whatever the limit: to count, ask with limit 1 and brief. Filters are those of NetBox's API, such as {"site": "rtm01", "status": ["active", "planned"]}: names are slugs, several values of one filter mean any of them, and NetBox ignores filters it does not know.`,
      inputSchema: { object_type: type, ...selection, ...paging },
      annotations,
    },
    ({ object_type, ...asked }, { signal }) =>
      answered(async () => {
        const { name, endpoint } = objectType(object_type)
        const page = readPage(await netbox.get(endpoint, queryOf(asked), signal))
        return asText(page, { heading: { object_type: name, source }, ...asked })
      }),
  )

  server.registerTool(
    'netbox_get_object_by_id',
    {
      description: 'Shows one object in NetBox by its id, with everything NetBox knows about it.',
      inputSchema: {
        object_type: type,
        object_id: z.int().positive().describe('The number NetBox gave it ("id" in lists)'),
        fields: selection.fields,
        brief: selection.brief,
      },
      annotations,
    },
    ({ object_type, object_id, fields, brief }, { signal }) =>
      answered(async () => {
        const { name, endpoint } = objectType(object_type)
        const found = await netbox
          .get(`${endpoint}${object_id}/`, queryOf({ fields, brief }), signal)
          .catch((error) => {
            const isNone = error instanceof NetboxError && error.status === 404
            throw isNone ? new NetboxError(`There is none of ${name} with the id ${object_id}`) : error
          })
        return oneAsText(found, { heading: { object_type: name, source }, fields })
      }),
  )

  server.registerTool(
    'netbox_get_changelogs',
    {
      description: `The changelog of NetBox, newest entries first: who created, updated or deleted what, and when. Filters: {"action": "update", "user_name": "…", "changed_object_type": "dcim.device", "changed_object_id": 17, "time_after": "2026-01-31", "time_before": "…", "q": "…"}.`,
      inputSchema: { filters: selection.filters, fields: selection.fields, ...paging },
      annotations,
    },
    (asked, { signal }) =>
      answered(async () => {
        const query = queryOf({ ...asked, ordering: asked.ordering ?? '-time' })
        const page = readPage(await changes(query, signal))
        return asText(page, { heading: { object_type: 'object-changes', source }, ...asked })
      }),
  )

  return server
}

/** The path changed with NetBox 4.1. The path that worked last is tried first. */
function createChangelog(netbox: NetboxClient): (query: URLSearchParams, signal: AbortSignal) => Promise<unknown> {
  const paths = { now: 'api/core/object-changes/', before: 'api/extras/object-changes/' }
  let first = paths.now
  return async (query, signal) => {
    const asked = first
    try {
      return await netbox.get(asked, query, signal)
    } catch (error) {
      if (!(error instanceof NetboxError) || error.status !== 404) throw error
      const other = asked === paths.now ? paths.before : paths.now
      const found = await netbox.get(other, query, signal)
      first = other
      return found
    }
  }
}

/** Failures are returned to the model as results: it can correct its call or tell the person. */
async function answered(ask: () => Promise<string>): Promise<CallToolResult> {
  try {
    return { content: [{ type: 'text', text: await ask() }] }
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    return { content: [{ type: 'text', text }], isError: true }
  }
}
