import { ownFunctions } from './own-functions.ts'
import { uploads } from './uploads.ts'

/** What a new database runs before anybody's SQL: a catalog for tables, and then nothing can be loaded or reached. */
export const setupStatements = (catalog: string): readonly string[] => [
  `ATTACH ':memory:' AS ${catalog}`,
  ...ownFunctions(catalog),
  'SET autoinstall_known_extensions = false',
  'SET autoload_known_extensions = false',
  `SET allowed_directories = ['${uploads}']`,
  'SET enable_external_access = false',
  'SET lock_configuration = true',
]
