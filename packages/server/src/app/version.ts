import { createRequire } from 'node:module'
import { z } from 'zod'

const PackageFile = z.object({ version: z.string() })

/** The version of this package; the same relative path works from the sources and from the build. */
export const readVersion = (): string => PackageFile.parse(createRequire(import.meta.url)('../../package.json')).version
