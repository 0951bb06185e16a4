export { modelLabel } from '@quarterdeck/protocol'
