import { dateMacros } from './date-macros.ts'
import { uploads } from './uploads.ts'

/** Run before any other SQL: attaches the catalog for tables, then blocks extensions, files and the network. */
export const setupStatements = (catalog: string): readonly string[] => [
  `ATTACH ':memory:' AS ${catalog}`,
  ...dateMacros(catalog),
  'SET autoinstall_known_extensions = false',
  'SET autoload_known_extensions = false',
  `SET allowed_directories = ['${uploads}']`,
  'SET enable_external_access = false',
  'SET lock_configuration = true',
]
