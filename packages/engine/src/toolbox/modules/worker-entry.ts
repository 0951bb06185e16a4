// The code inside a worker process: loads modules of a project and calls their exports. Runs on plain Node, even from
// the sources: it imports only types, Node's own modules, zod and its neighbours.
import { Socket } from 'node:net'
import { relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads'
import type { z } from 'zod'
import { cut, longestOutput } from './longest-output.ts'
import { createServing } from './mcp-serving.ts'
import { longestWorkerMessage, readLines } from './read-lines.ts'
import { withLocation } from './syntax-error-location.ts'
import type { CallContext, Export, RunnerImage, WorkerReply, WorkerRequest } from './worker-message.ts'

export interface WorkerStart {
  readonly project: string
  /** File descriptors of the channel. Standard input and output belong to the functions. */
  readonly input: number
  readonly output: number
  /** Receives the path of each file that the module hooks read. */
  readonly files: MessagePort
}

type Loaded = Awaited<ReturnType<typeof load>>

export function runWorker({ project, input, output, files }: WorkerStart): void {
  const requests = new Socket({ fd: input, readable: true, writable: false })
  const replies = new Socket({ fd: output, readable: false, writable: true })
  const running = new Map<number, AbortController>()
  const read = new Set<string>()
  const serving = createServing((message) => send({ type: 'mcp', message }))

  /** Returns false, and sends nothing, for a message that is too large. */
  function send(message: WorkerReply): boolean {
    const line = Buffer.from(`${JSON.stringify(message)}\n`)
    if (line.length > longestWorkerMessage) return false
    replies.write(line)
    return true
  }

  function noteFile(path: string): void {
    read.add(path)
    send({ type: 'file', path })
  }

  /** Paths arrive from another thread. Sends them before the reply that depends on them. */
  function drainFiles(): void {
    for (let next = receiveMessageOnPort(files); next !== undefined; next = receiveMessageOnPort(files)) {
      noteFile(String(next.message))
    }
  }

  function reply(message: WorkerReply): boolean {
    drainFiles()
    return send(message)
  }

  async function handle(request: Extract<WorkerRequest, { export: Export }>, signal: AbortSignal): Promise<void> {
    const { id } = request
    const loaded = await load(request.export)
    switch (request.type) {
      case 'load':
        return void reply({ type: 'loaded', id, parameters: schemaOf(loaded) })
      case 'call':
        return await call(loaded, request, signal)
      case 'serve':
        await serving.connect(await loaded.run())
        return void reply({ type: 'loaded', id, parameters: null })
    }
  }

  async function call(
    { run, parameters }: Loaded,
    request: { id: number; input: object; context: CallContext; checksInput: boolean },
    signal: AbortSignal,
  ): Promise<void> {
    const done = { type: 'done', id: request.id, isError: true, images: [] } as const
    const checked = request.checksInput && parameters !== null ? await parameters.check(request.input) : request
    if ('problem' in checked) return void reply({ ...done, output: checked.problem })
    if (signal.aborted) return void reply({ ...done, output: 'the call was cancelled' })
    try {
      const returned = await run(checked.input, { ...request.context, signal })
      const isSent = reply({ ...done, isError: false, ...outputOf(returned) })
      if (!isSent) reply({ ...done, output: 'the result is larger than 32 MiB: return less' })
    } catch (error) {
      reply({ ...done, output: describeFailure(error, project) })
    }
  }

  async function replyFailure({ id, export: { file } }: { id: number; export: Export }, error: unknown): Promise<void> {
    drainFiles()
    const signal = running.get(id)?.signal
    const message = await withLocation(describeFailure(error, project), { files: [file, ...read], project, signal })
    reply({ type: 'failed', id, message })
  }

  process.on('uncaughtException', (error) => {
    send({ type: 'crashed', why: error instanceof Error ? error.message : String(error) })
    process.exit(1)
  })
  files.on('message', noteFile)
  files.unref()
  // The server has closed the channel or ended.
  requests.on('close', () => process.exit(0))
  readLines(requests, {
    onLine(line) {
      const request: WorkerRequest = JSON.parse(line)
      if (request.type === 'mcp') return serving.receive(request.message)
      const { id } = request
      if (request.type === 'abort') return running.get(id)?.abort()
      // Before loading: the call may be cancelled while its module is loaded.
      const stop = new AbortController()
      running.set(id, stop)
      void handle(request, stop.signal)
        .catch((error: unknown) => replyFailure(request, error))
        .finally(() => running.delete(id))
    },
  })
  send({ type: 'ready' })
}

async function load({ file, name }: Export) {
  const module: Record<string, unknown> = await import(pathToFileURL(file).href)
  const found = module[name] ?? (isObject(module.default) ? module.default[name] : undefined)
  const run = found ?? (name === 'default' ? module.default : undefined)
  if (typeof run !== 'function') {
    const names = Object.keys(module).filter((one) => typeof module[one] === 'function')
    const others = names.length === 0 ? 'It exports no function.' : `It exports ${names.join(', ')}.`
    throw new Error(`${file} exports no function ${name}. ${others}`)
  }
  return { run: (...args: readonly unknown[]): unknown => run(...args), parameters: await findParameters(module, run) }
}

const schemaOf = ({ parameters }: Loaded): Record<string, unknown> | null =>
  parameters === null ? null : { ...parameters.schema }

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** What failed and where in the project, without any path outside it. */
function describeFailure(error: unknown, project: string): string {
  if (!(error instanceof Error)) return typeof error === 'string' ? error : `it threw ${readable(error)}`
  const name = error.name === 'Error' || error.name === '' ? '' : `${error.name}: `
  const message = `${name}${error.message}`.replaceAll(`${project}/`, '').replace(/ imported from \/\S+$/, '')
  const location = locationIn(error.stack ?? '', project)
  return location === null || message.includes(location) ? message : `${message} (${location})`
}

/** Syntax errors name the position first, others in the first frame of the project. */
function locationIn(stack: string, project: string): string | null {
  for (const [, address = '', line] of stack.matchAll(/((?:file:\/\/)?\/[^\s()]*?):(\d+)(?::\d+)?/g)) {
    const file = address.startsWith('file:') ? fileURLToPath(address) : address
    const relativePath = relative(project, file)
    if (!relativePath.startsWith('..') && !relativePath.includes('node_modules')) return `${relativePath}:${line}`
  }
  return null
}

function readable(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    return String(value)
  }
}

/** A string unchanged, `{content, images}` as text and images, anything else as JSON. */
function outputOf(value: unknown): { readonly output: string; readonly images: readonly RunnerImage[] } {
  const images = imagesOf(value)
  if (images === null) return { output: cut(textOf(value), longestOutput), images: [] }
  const content = typeof value === 'object' && value !== null && 'content' in value ? value.content : ''
  return { output: cut(textOf(content), longestOutput), images }
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === undefined) return 'done'
  return JSON.stringify(value, (_key, one: unknown) => (typeof one === 'bigint' ? String(one) : one)) ?? String(value)
}

/** Null if the value does not have that shape. */
function imagesOf(value: unknown): readonly RunnerImage[] | null {
  if (typeof value !== 'object' || value === null || !('images' in value) || !Array.isArray(value.images)) return null
  const images = value.images.map(imageOf)
  return images.every((image) => image !== null) ? images : null
}

function imageOf(value: unknown): RunnerImage | null {
  if (typeof value !== 'object' || value === null) return null
  const { mediaType, mimeType, data }: { mediaType?: unknown; mimeType?: unknown; data?: unknown } = value
  const type = mediaType ?? mimeType
  if (typeof type !== 'string') return null
  if (typeof data === 'string') return { mediaType: type, data }
  return data instanceof Uint8Array ? { mediaType: type, data: Buffer.from(data).toString('base64') } : null
}

interface Parameters {
  /** JSON Schema. */
  readonly schema: object
  /** The arguments for the function, or what is wrong with the input. The caller validates a plain JSON Schema. */
  check(input: object): Promise<{ readonly input: unknown } | { readonly problem: string }>
}

/** The `parameters` that the module exports next to the function or sets on it, as zod or as JSON Schema. */
async function findParameters(module: Readonly<Record<string, unknown>>, run: object): Promise<Parameters | null> {
  const given = ('parameters' in run ? run.parameters : undefined) ?? module.parameters
  if (given === undefined || given === null) return null
  if (typeof given !== 'object') throw new Error('`parameters` is neither a zod schema nor a JSON Schema')
  if (!('safeParseAsync' in given)) return { schema: given, check: async (input) => ({ input }) }
  if (!('_zod' in given)) throw new Error('`parameters` is a schema of zod 3: use zod 4 or a JSON Schema')
  const schema = given as z.ZodType // the marker of zod 4, whichever copy of zod created it
  const { toJSONSchema } = await import('zod')
  return {
    schema: toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }),
    async check(input) {
      const parsed = await schema.safeParseAsync(input)
      return parsed.success ? { input: parsed.data } : { problem: problemOf(parsed.error) }
    },
  }
}

const problemOf = ({ issues }: z.ZodError): string => {
  const found = issues.map(({ path, message }) => `${path.length === 0 ? 'the input' : path.join('.')}: ${message}`)
  return `The input is not valid. ${found.join('; ')}. Call it again with a valid input.`
}
