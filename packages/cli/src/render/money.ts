export { formatUsd } from '@quarterdeck/protocol'
