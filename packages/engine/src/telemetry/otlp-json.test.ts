import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { otlpRequest } from './otlp-json.ts'
import type { Span } from './span.ts'

const run = promisify(execFile)
const program = fileURLToPath(new URL('testing/official-otlp.mjs', import.meta.url))
const resource = { 'service.name': 'quarterdeck-coder', port: 1 }

async function official(span: Span): Promise<unknown> {
  const asked = JSON.stringify({ span, resource, scope: 'quarterdeck' })
  return JSON.parse((await run(process.execPath, [program, asked])).stdout)
}

const startedAt = 1_760_000_000_123
const call: Span = {
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: '00f067aa0ba902b7',
  parentSpanId: 'b7ad6b7169203331',
  name: 'execute_tool Bash',
  kind: 'internal',
  startedAt,
  endedAt: startedAt + 250,
  attributes: {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.usage.input_tokens': 12_345_678_901,
    'quarterdeck.cost.usd': 0.0125,
    isTrue: true,
    list: ['a', 'b'],
  },
  isError: true,
}

it.each([
  ['a call that failed', call],
  ['a request without a parent', { ...call, kind: 'client', parentSpanId: null, isError: false } as const],
])('writes %s exactly as the official packages do', async (_, span) => {
  const ours: unknown = JSON.parse(JSON.stringify(otlpRequest(resource, [span])))
  expect(ours).toEqual(await official(span))
})
