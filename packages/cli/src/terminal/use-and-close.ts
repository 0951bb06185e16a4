/** The result of `use`. The resource is closed afterwards, even after a failure. */
export async function useAndClose<Resource extends { close(): Promise<void> }, Value>(
  opening: Promise<Resource>,
  use: (resource: Resource) => Promise<Value>,
): Promise<Value> {
  const resource = await opening
  try {
    return await use(resource)
  } finally {
    await resource.close()
  }
}
