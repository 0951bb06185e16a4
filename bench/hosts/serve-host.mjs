// The child side of start-host.mjs: answers calls until the parent disconnects.

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

/** CPU time of this process in microseconds. */
export function cpuMicroseconds() {
  const { user, system } = process.cpuUsage()
  return user + system
}
