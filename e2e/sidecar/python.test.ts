// The Python client that users copy, with a sidecar that only sends requests.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { examples } from '../support/server/serve.ts'

const has = spawnSync('python3', ['--version']).status === 0

const handlers = ['decimal', 'a_set', 'surrogate', 'not_a_number', 'raises_surrogate', 'fine'] as const

/** Calls each handler once and writes the answers to stderr. */
const sidecar = `
const asked = ${JSON.stringify(handlers)}
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
say({ method: 'server.ready', params: {} })
const answers = {}
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, error, result } = JSON.parse(line)
  if (method === 'begin') {
    say({ id, result: null })
    return asked.forEach((method, id) => say({ id, method, params: {} }))
  }
  answers[asked[id]] = error ?? result
  if (Object.keys(answers).length < asked.length) return
  process.stderr.write(JSON.stringify(answers))
  process.exit()
})`

const host = `
import sys
from decimal import Decimal
from quarterdeck_sidecar import Sidecar

def raises_surrogate(_):
    raise ValueError("odd \\ud800 words")

answers = {"decimal": Decimal("1.5"), "a_set": {1}, "surrogate": "\\ud800", "not_a_number": float("nan"), "fine": "7"}
sidecar = Sidecar(sys.argv[1:])
for method, output in answers.items():
    sidecar.handle(method, lambda _, output=output: {"output": output})
sidecar.handle("raises_surrogate", raises_surrogate)
sidecar.call("begin")
sidecar._process.wait()
`

it.skipIf(!has)('a Python host reports a handler result that cannot be encoded as JSON', () => {
  const { stderr, error } = spawnSync('python3', ['-c', host, process.execPath, '-e', sidecar], {
    env: { PATH: process.env.PATH, PYTHONPATH: join(examples, 'sidecar-python'), PYTHONDONTWRITEBYTECODE: '1' },
    encoding: 'utf8',
    timeout: 60_000,
  })
  expect(error).toBeUndefined()
  const refused = (message: RegExp) => ({ code: -32603, message: expect.stringMatching(message) })
  expect(JSON.parse(stderr)).toEqual({
    decimal: refused(/Decimal is not JSON/),
    a_set: refused(/set is not JSON/),
    surrogate: refused(/surrogates not allowed/),
    not_a_number: refused(/not JSON compliant/),
    raises_surrogate: refused(/^odd .+ words$/),
    fine: { output: '7' },
  })
})

it.skipIf(!has)('a Python host passes its own unit tests', () => {
  const { status, stderr } = spawnSync('python3', ['-W', 'error', '-m', 'unittest'], {
    cwd: join(examples, 'sidecar-python'),
    env: { PATH: process.env.PATH, PYTHONDONTWRITEBYTECODE: '1' },
    encoding: 'utf8',
    timeout: 300_000,
  })
  expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringMatching(/^Ran 7 tests in /m) })
})
