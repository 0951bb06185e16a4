// Expansions that only fill in a value. Every other one works a value out: the shell then reads what a variable holds
// as arithmetic, as a subscript or as a prompt, and each of these may run a command.

/** Numbers and operators: no name, and nothing filled in. */
export const isPlainArithmetic = (text: string): boolean => /^[\d\s+\-*/%()<>=!&|^~?:,;]*$/.test(text)

const name = '(?:[A-Za-z_][A-Za-z0-9_]*|\\d+|[@*#?$!_-])'
const subscript = '(?:\\[(?:\\d+|[@*])\\])?'
const number = '\\s*-?\\d+\\s*'
/** A default, an error, a prefix or suffix to cut off, a replacement, a change of case, a slice between two numbers. */
const operation = `(?::?[-+?][^]*|[#%/^,][^]*|:(?!-)${number}(?::${number})?)?`
const plainParameter = new RegExp(`^(?:#?${name}${subscript}|${name}${subscript}${operation})$`)
/** `!x` looks up the name another variable holds; `!` alone is a process. */
const indirect = /^!./s

/** The inside of `${…}`. */
export const isPlainParameter = (body: string): boolean => plainParameter.test(body) && !indirect.test(body)
