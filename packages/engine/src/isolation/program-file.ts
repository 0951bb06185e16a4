// Which file a command means.
import { accessSync, constants, statSync } from 'node:fs'
import { resolve } from 'node:path'

/** One that is written with a slash lies somewhere, from its folder on; any other is looked for on PATH: `null`. */
export const programPath = (command: string, cwd: string): string | null =>
  command.includes('/') ? resolve(cwd, command) : null

export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
