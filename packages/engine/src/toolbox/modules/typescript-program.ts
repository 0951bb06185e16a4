// A program in TypeScript is started as one in JavaScript: `node server.ts`. Its types are stripped as those of functions
// are, and it may import what they may, whatever this Node can do by itself.
import { parse } from 'node:path'
import { asAddress, hooksAddress, stripperAddress } from './hooks-address.ts'

interface ProgramCommand {
  readonly command: string
  readonly args: readonly string[]
}

/**
 * The arguments with which to start it; any other program keeps its own. Which of them names the program only Node can
 * tell: the hooks are there as soon as one of them is TypeScript, and mind nothing else.
 */
export function typescriptProgram({ command, args }: ProgramCommand): readonly string[] {
  const isTypescript = parse(command).name === 'node' && args.some((arg) => /\.m?ts$/.test(arg))
  return isTypescript ? ['--import', asAddress(bootstrap()), ...args] : args
}

const bootstrap = (): string => `
import { register } from 'node:module'
register(${JSON.stringify(hooksAddress())}, {
  data: ${JSON.stringify({ stripper: stripperAddress(), packagesUrl: import.meta.url })},
})
`
