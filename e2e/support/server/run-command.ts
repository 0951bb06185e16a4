import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { checkout, cleanEnvironment, newFolder } from './serve.ts'

export const command = join(checkout, 'packages', 'cli', 'bin', 'quarterdeck.mjs')

/** Runs a command until it exits. */
export async function runCommand(
  args: readonly string[],
  options: { env?: Readonly<Record<string, string>>; input?: string; cwd?: string } = {},
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const env = { ...(await cleanEnvironment(await newFolder('home'))), ...options.env }
  const child = spawn(process.execPath, [command, ...args], { env, cwd: options.cwd ?? checkout, stdio: 'pipe' })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  child.stdin.end(options.input ?? '')
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stdout, stderr }
}
