// A server with a config.yaml of its own, and what its agents' processes cost.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cliProcesses } from './process-tree.ts'
import { newFolder, type Served, type ServeOptions, serve } from './serve.ts'

/** On the simulator. The config lies in the home folder: another server started in the same home has it too. */
export async function serveConfigured(
  config: string,
  options: ServeOptions = {},
): Promise<Served & { readonly home: string }> {
  const home = options.env?.HOME ?? (await newFolder('home'))
  await mkdir(join(home, '.quarterdeck'), { recursive: true })
  await writeFile(join(home, '.quarterdeck', 'config.yaml'), config)
  const args = ['--model-source', 'simulator', ...(options.args ?? [])]
  return { ...(await serve({ ...options, args, env: { ...options.env, HOME: home } })), home }
}

/** Counts the agents' CLIs again and again until it is told to stop; the most there were at once. */
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
