// Finds the file of a command.
import { accessSync, constants, statSync } from 'node:fs'
import { resolve } from 'node:path'

/** A command with a slash is a path relative to `cwd`; others are looked up on PATH and return `null`. */
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
