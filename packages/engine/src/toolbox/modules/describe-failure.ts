import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What failed and where in the project, without any path outside it. */
export function describeFailure(error: unknown, project: string): string {
  if (!(error instanceof Error)) return typeof error === 'string' ? error : `it threw ${readable(error)}`
  const name = error.name === 'Error' || error.name === '' ? '' : `${error.name}: `
  const message = `${name}${error.message}`.replaceAll(`${project}/`, '').replace(/ imported from \/\S+$/, '')
  const location = locationIn(error.stack ?? '', project)
  return location === null || message.includes(location) ? message : `${message} (${location})`
}

/** Syntax errors name the position first, others in the first frame of the project. */
function locationIn(stack: string, project: string): string | null {
  for (const [, address = '', line] of stack.matchAll(/((?:file:\/\/)?\/[^\s()]*?):(\d+)(?::\d+)?/g)) {
    const file = address.startsWith('file:') ? fileURLToPath(address) : address
    const relativePath = relative(project, file)
    if (!relativePath.startsWith('..') && !relativePath.includes('node_modules')) return `${relativePath}:${line}`
  }
  return null
}

function readable(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    return String(value)
  }
}
