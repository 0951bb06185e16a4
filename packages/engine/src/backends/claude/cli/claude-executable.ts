import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** The CLI that the SDK starts: one npm package with a binary per platform. `null` if that package is not installed. */
export function claudeExecutable(): string | null {
  const fromSdk = createRequire(createRequire(import.meta.url).resolve('@anthropic-ai/claude-agent-sdk'))
  for (const libc of ['', '-musl']) {
    try {
      const name = `@anthropic-ai/claude-agent-sdk-${process.platform}-${process.arch}${libc}`
      const folder = dirname(fromSdk.resolve(`${name}/package.json`))
      const file = join(folder, process.platform === 'win32' ? 'claude.exe' : 'claude')
      if (existsSync(file)) return file
    } catch {
      // Not the package of this platform: try the next name.
    }
  }
  return null
}
