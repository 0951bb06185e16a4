// A server with its own config.yaml, and the number of its agents' processes.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cliProcesses } from './process-tree.ts'
import { newFolder } from './serve.ts'
import { type ProcessOptions, type ServedProcess, serveProcess } from './serve-process.ts'

/** Uses the simulator. The config is in the home folder, so another server with the same home uses it too. */
export async function serveConfigured(
  config: string,
  options: ProcessOptions = {},
): Promise<ServedProcess & { readonly home: string }> {
  const home = options.env?.HOME ?? (await newFolder('home'))
  await mkdir(join(home, '.quarterdeck'), { recursive: true })
  await writeFile(join(home, '.quarterdeck', 'config.yaml'), config)
  const args = ['--model-source', 'simulator', ...(options.args ?? [])]
  return { ...(await serveProcess({ ...options, args, env: { ...options.env, HOME: home } })), home }
}

/** Counts the agents' CLIs repeatedly until stopped. Returns the maximum. */
export function countClis(dataDir: string): { stop(): Promise<number> } {
  let isOver = false
  const counted = (async () => {
    let most = 0
    while (!isOver) {
      most = Math.max(most, (await cliProcesses(dataDir)).length)
      await new Promise((resolve) => setTimeout(resolve, 150))
    }
    return most
  })()
  return {
    stop() {
      isOver = true
      return counted
    },
  }
}
