// The inside of a worker: loads modules of a project and calls what they export. Runs on plain Node, also from the
// sources: it imports types, Node's own modules, zod and its neighbours only.
import { pathToFileURL } from 'node:url'
import { parentPort, workerData } from 'node:worker_threads'
import { describeFailure } from './describe-failure.ts'
import { findParameters, type Parameters } from './module-parameters.ts'
import { outputOf } from './returned-value.ts'
import { serveOn } from './serve-on.ts'
import type { CallContext, Export, WorkerReply, WorkerRequest } from './worker-message.ts'

interface Loaded {
  readonly run: (...args: readonly unknown[]) => unknown
  readonly parameters: Parameters | null
}

const project: string = workerData.project
const running = new Map<number, AbortController>()

function reply(message: WorkerReply): void {
  parentPort?.postMessage(message)
}

parentPort?.on('message', (request: WorkerRequest) => {
  if (request.type === 'abort') return running.get(request.id)?.abort()
  const { id } = request
  // From the first moment: it may be given up while its module is loaded.
  const stop = new AbortController()
  running.set(id, stop)
  void handle(request, stop.signal)
    .catch((error: unknown) => reply({ type: 'failed', id, message: describeFailure(error, project) }))
    .finally(() => running.delete(id))
})

async function handle(request: Exclude<WorkerRequest, { type: 'abort' }>, signal: AbortSignal): Promise<void> {
  const { id } = request
  const loaded = await load(request.export)
  switch (request.type) {
    case 'load':
      return reply({ type: 'loaded', id, parameters: loaded.parameters?.schema ?? null })
    case 'call':
      return await call(loaded, request, signal)
    case 'serve':
      await serveOn(await loaded.run(), request.port)
      return reply({ type: 'loaded', id, parameters: null })
  }
}

async function load({ file, name }: Export): Promise<Loaded> {
  const module: Record<string, unknown> = await import(pathToFileURL(file).href)
  const found = module[name] ?? (isObject(module.default) ? module.default[name] : undefined)
  const run = found ?? (name === 'default' ? module.default : undefined)
  if (typeof run !== 'function') {
    const names = Object.keys(module).filter((one) => typeof module[one] === 'function')
    const others = names.length === 0 ? 'It exports no function.' : `It exports ${names.join(', ')}.`
    throw new Error(`${file} exports no function ${name}. ${others}`)
  }
  return { run: (...args) => run(...args), parameters: await findParameters(module, run) }
}

async function call(
  { run, parameters }: Loaded,
  request: { id: number; input: object; context: CallContext; checksInput: boolean },
  signal: AbortSignal,
): Promise<void> {
  const { id } = request
  const checked = request.checksInput && parameters !== null ? await parameters.check(request.input) : request
  if ('problem' in checked) return reply({ type: 'done', id, output: checked.problem, isError: true, images: [] })
  if (signal.aborted) return reply({ type: 'done', id, output: 'it was given up', isError: true, images: [] })
  try {
    const returned = await run(checked.input, { ...request.context, signal })
    reply({ type: 'done', id, isError: false, ...outputOf(returned) })
  } catch (error) {
    reply({ type: 'done', id, output: describeFailure(error, project), isError: true, images: [] })
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
