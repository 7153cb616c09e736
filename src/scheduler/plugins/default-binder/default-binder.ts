import { definePlugin } from '../../framework/contract.ts'

export const defaultBinder = definePlugin({
  name: 'DefaultBinder',
  bind: () => 'binding',
})
