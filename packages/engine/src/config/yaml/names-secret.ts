// Suffixes of names that indicate a secret. Keys are secret except those of database tables and public keys.
const endings = [
  '(?:^|(?<!public|primary|foreign|sort|partition|cache)[_-])key',
  '(?:api|access|account|private|secret)key',
  '(?:^|[_-])auth',
  'authorization|bearer|cookie|credentials?|passphrase|passw[a-z]*|secrets?|token',
]
/** `API_KEY_2`, `AWS_BEARER_TOKEN_BEDROCK` */
const after = '(?:[_-](?:\\d+|bedrock))?'
const secretName = new RegExp(`(?:${endings.join('|')})${after}$`, 'i')

/** Whether the name of a variable, a header or a key indicates a secret. */
export const namesSecret = (name: string): boolean => secretName.test(name)
