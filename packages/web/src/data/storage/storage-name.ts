/** The IndexedDB database, the folder of files and the broadcast channel of Data have this name. */
export const storageName = 'quarterdeck-data'
