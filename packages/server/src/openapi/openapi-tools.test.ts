// The document as the usual tools read it: two validators, and a generator of clients with its default options.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { buildOpenApiDocument } from './openapi-document.ts'

const root = new URL('../../../../', import.meta.url)
const requireTool = createRequire(new URL('tools/package.json', root))

async function writeDocument(document: object = buildOpenApiDocument('1.2.3')): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'openapi-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, 'openapi.json')
  await writeFile(file, JSON.stringify(document))
  return file
}

/** The problems that Redocly's recommended rules find, warnings included. */
async function redoclyProblems(file: string): Promise<string[]> {
  const { createConfig, lint } = requireTool('@redocly/openapi-core') as {
    createConfig(config: object): Promise<unknown>
    lint(options: { ref: string; config: unknown }): Promise<{ ruleId: string; message: string }[]>
  }
  const config = await createConfig({ extends: ['recommended'] })
  return (await lint({ ref: file, config })).map(({ ruleId, message }) => `${ruleId}: ${message}`)
}

const swaggerParser = requireTool('@apidevtools/swagger-parser') as { validate(file: string): Promise<unknown> }

it('passes the recommended rules of Redocly, and swagger-parser', async () => {
  const file = await writeDocument()
  expect(await redoclyProblems(file)).toEqual([])
  await expect(swaggerParser.validate(file)).resolves.toBeDefined()
})

it('rejects an operation without responses, with both validators', async () => {
  const { openapi, info } = buildOpenApiDocument('1.2.3')
  const file = await writeDocument({ openapi, info, paths: { '/broken': { get: { responses: 7 } } } })
  expect(await redoclyProblems(file)).not.toEqual([])
  await expect(swaggerParser.validate(file)).rejects.toThrow()
})

const generator = pathToFileURL(requireTool.resolve('openapi-typescript'))

/** The compiler's messages about a program that uses the generated types. */
async function compile(program: string): Promise<string[]> {
  const { default: generate, astToString } = (await import(generator.href)) as {
    default(document: object): Promise<unknown>
    astToString(types: unknown): string
  }
  const folder = await mkdtemp(join(tmpdir(), 'openapi-types-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'api.ts'), astToString(await generate(buildOpenApiDocument('1.2.3'))))
  const file = join(folder, 'program.ts')
  await writeFile(file, program)
  const ts = requireTool('typescript') as typeof import('../../../../tools/node_modules/typescript/lib/typescript.d.ts')
  const options = { strict: true, noEmit: true, skipLibCheck: false, target: ts.ScriptTarget.ES2022, types: [] }
  const compiled = ts.createProgram([file], {
    ...options,
    module: ts.ModuleKind.NodeNext,
    allowImportingTsExtensions: true,
  })
  return ts.getPreEmitDiagnostics(compiled).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
}

/** A request as a typed value, and the reply that the next line of the README reads. */
const programOf = (calls: readonly string[]) => `import type { operations } from './api.ts'
type Body = operations['createSession']['requestBody']['content']['application/json']
const reply = {} as operations['createSession']['responses'][201]['content']['application/json']
export const sessionId: string = reply.sessionId
export const bodies: Body[] = [${calls.join(', ')}]
// @ts-expect-error: no such field
export const misspelled: Body = { agent: 'hello', mesage: 'hi' }
`

it('gives types that compile the calls of the README with the default options of openapi-typescript', async () => {
  const readme = await readFile(fileURLToPath(new URL('README.md', root)), 'utf8')
  const calls = [/client\.createSession\((\{.*\})\)/, /-d '(\{.*\})'/].map(
    (call) => call.exec(readme)?.[1] ?? 'missing',
  )
  expect(await compile(programOf(calls))).toEqual([])
}, 60_000)
