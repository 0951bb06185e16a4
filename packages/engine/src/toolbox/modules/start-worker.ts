// A thread in which modules of a project run. It has its own environment and its own bound of memory, so that the server
// outlives their mistakes. It is no wall: they run with the server's rights, may end its process, and buffers they fill
// are not counted.
import { fileURLToPath } from 'node:url'
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { asAddress, hooksAddress, neighbour, stripperAddress } from './hooks-address.ts'

export interface WorkerPlace {
  /** Absolute. Paths below it are named in errors, others are not. */
  readonly project: string
  /** All that its `process.env` holds. */
  readonly env: Readonly<Record<string, string>>
  /** How much memory it may take before it is ended. */
  readonly memoryMb?: number | undefined
  /** Told each file of the project as it is read. */
  readonly onFile: (path: string) => void
  /** What it prints. */
  readonly onPrinted: (text: string) => void
}

const usualMemoryMb = 512

export interface StartedWorker {
  readonly worker: Worker
  /** Tells at once of every file that was read before the last message of the worker: they come by another way. */
  catchUp(): void
}

export function startWorker(place: WorkerPlace): StartedWorker {
  const { project, env, memoryMb = usualMemoryMb, onFile, onPrinted } = place
  const files = new MessageChannel()
  const own = fileURLToPath(new URL('.', import.meta.url))
  const tell = (path: string): void => {
    if (!path.startsWith(own)) onFile(path)
  }
  files.port1.on('message', tell)
  files.port1.unref()
  const workerData = {
    project,
    hooks: hooksAddress(),
    entry: neighbour('worker-entry').href,
    stripper: stripperAddress(),
    house: import.meta.url,
    files: files.port2,
  }
  const worker = new Worker(new URL(asAddress(bootstrap)), {
    ...{ workerData, env: { ...env }, execArgv: [], stdout: true, stderr: true },
    transferList: [files.port2],
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
  })
  for (const printed of [worker.stdout, worker.stderr]) printed.setEncoding('utf8').on('data', onPrinted)
  worker.once('exit', () => files.port1.close())
  return {
    worker,
    catchUp() {
      for (;;) {
        const next = receiveMessageOnPort(files.port1)
        if (next === undefined) return
        tell(String(next.message))
      }
    },
  }
}

const bootstrap = `
import { register } from 'node:module'
import { workerData } from 'node:worker_threads'
const { hooks, entry, stripper, house, files } = workerData
register(hooks, { data: { stripper, house, files }, transferList: [files] })
await import(entry)
`
