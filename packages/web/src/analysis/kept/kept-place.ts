/** The name of the database, the folder and the channel of what Data keeps in this browser. */
export const keptPlace = 'quarterdeck-data'
