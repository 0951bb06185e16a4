/** Messages may end with a full stop already. */
export const sentence = (text: string): string => `${text.replace(/\.+$/, '')}.`
