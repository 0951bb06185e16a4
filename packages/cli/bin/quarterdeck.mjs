#!/usr/bin/env node
// Committed so that npm links it at install. Only the version check runs before the Node version is known to be
// supported.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`quarterdeck needs Node 20.19 or newer; this is Node ${process.versions.node}.\n`)
  process.exitCode = 1
} else {
  const { launch } = await import('./launch.mjs')
  process.exitCode = await launch(process.argv.slice(2))
}
