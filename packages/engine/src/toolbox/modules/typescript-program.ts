// Starts a TypeScript program like a JavaScript one: `node server.ts`. Types are stripped and packages provided as for
// functions, whatever this version of Node supports.
import { parse } from 'node:path'
import type { ProgramCommand } from '../../isolation/spawn-sandboxed.ts'
import { asAddress, hooksAddress, stripperAddress } from './hooks-address.ts'

/**
 * The arguments to start it with; any other program keeps its own. Only Node knows which argument names the program, so
 * the hooks are added if any argument is a TypeScript file. They affect nothing else.
 */
export function typescriptProgram({ command, args }: Pick<ProgramCommand, 'command' | 'args'>): readonly string[] {
  const isTypescript = parse(command).name === 'node' && args.some((arg) => /\.m?ts$/.test(arg))
  return isTypescript ? ['--import', asAddress(bootstrap()), ...args] : args
}

const bootstrap = (): string => `
import { register } from 'node:module'
register(${JSON.stringify(hooksAddress())}, {
  data: ${JSON.stringify({ stripper: stripperAddress(), packagesUrl: import.meta.url })},
})
`
