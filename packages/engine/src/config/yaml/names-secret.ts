// What a name that stands for a secret ends with. Keys open something, but for those that tables and the public have.
const endings = [
  '(?:^|(?<!public|primary|foreign|sort|partition|cache)[_-])key',
  '(?:api|access|account|private|secret)key',
  '(?:^|[_-])auth',
  'authorization|bearer|cookie|credentials?|passphrase|passw[a-z]*|secrets?|token',
]
/** `API_KEY_2`, `AWS_BEARER_TOKEN_BEDROCK` */
const after = '(?:[_-](?:\\d+|bedrock))?'
const secretName = new RegExp(`(?:${endings.join('|')})${after}$`, 'i')

/** Whether a variable, a header or a key of a file says by its name that it holds a secret. */
export const namesSecret = (name: string): boolean => secretName.test(name)
