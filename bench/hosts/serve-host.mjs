// The child's half of start-host.mjs: answers calls until its parent lets go.

/** @param {Record<string, (argument: any) => unknown>} functions */
export function serveHost(functions) {
  process.on('message', (/** @type {any} */ { id, method, argument }) => {
    Promise.resolve()
      .then(() => functions[method]?.(argument))
      .then(
        (value) => process.send?.({ id, value }),
        (error) => process.send?.({ id, error: String(error instanceof Error ? error.stack : error) }),
      )
  })
  process.on('disconnect', () => process.exit(0))
}

/** Microseconds this process has worked. */
export function cpuMicroseconds() {
  const { user, system } = process.cpuUsage()
  return user + system
}
