// After a crash or a shutdown the agent is told in one user message what people decided meanwhile.
// The engine writes these lines; whoever plays the model reads them. An approved call is to be issued again as it stands.

export type WakeCall = { readonly tool: string; readonly input: unknown }
export type WakeDenial = WakeCall & { readonly note: string | null }

const APPROVED_CALL_MARKER = 'Approved call (re-issue exactly):'
const DENIED_CALL_MARKER = 'Denied call (do not issue it again):'

export function formatApprovedCall(tool: string, input: unknown): string {
  return `${APPROVED_CALL_MARKER} ${JSON.stringify({ tool, input })}`
}

export function formatDeniedCall(tool: string, input: unknown, note: string | null = null): string {
  return `${DENIED_CALL_MARKER} ${JSON.stringify({ tool, input, note })}`
}

/** Calls in the order they are written. A line whose JSON is broken is skipped: it can not be issued exactly. */
export function parseApprovedCalls(text: string): WakeCall[] {
  return linesAfter(APPROVED_CALL_MARKER, text).flatMap((json) => {
    const call = readCall(json)
    return call === null ? [] : [{ tool: call.tool, input: call.input }]
  })
}

export function parseDeniedCalls(text: string): WakeDenial[] {
  return linesAfter(DENIED_CALL_MARKER, text).flatMap((json) => readCall(json) ?? [])
}

function linesAfter(marker: string, text: string): string[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const at = line.toLowerCase().indexOf(marker.toLowerCase())
    return at === -1 ? [] : [line.slice(at + marker.length)]
  })
}

function readCall(line: string): WakeDenial | null {
  const json = line.slice(line.indexOf('{'), line.lastIndexOf('}') + 1)
  try {
    const value: unknown = JSON.parse(json)
    if (typeof value !== 'object' || value === null || !('tool' in value) || typeof value.tool !== 'string') return null
    const note = 'note' in value && typeof value.note === 'string' ? value.note : null
    return { tool: value.tool, input: 'input' in value ? value.input : {}, note }
  } catch {
    // Not JSON: a sentence that only quotes the marker.
    return null
  }
}
