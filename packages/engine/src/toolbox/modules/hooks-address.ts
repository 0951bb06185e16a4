// The URLs of the hooks that load a project's modules, for worker processes and TypeScript programs.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { extname } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const require = createRequire(import.meta.url)

export const stripperAddress = (): string => pathToFileURL(require.resolve('@swc/wasm-typescript')).href

/** Next to this file, with the same extension: `.ts` for the sources, `.js` for the build. */
export const neighbour = (name: string): URL => new URL(`./${name}${extname(import.meta.url)}`, import.meta.url)

/** The hooks themselves must be loaded without hooks, so they cannot be TypeScript. */
export function hooksAddress(): string {
  const file = neighbour('module-hooks')
  if (file.pathname.endsWith('.js')) return file.href
  const { transformSync } = require('@swc/wasm-typescript') as typeof import('@swc/wasm-typescript')
  return asAddress(transformSync(readFileSync(fileURLToPath(file), 'utf8'), { mode: 'strip-only' }).code)
}

export const asAddress = (code: string): string => `data:text/javascript;base64,${Buffer.from(code).toString('base64')}`
