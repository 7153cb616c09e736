import { defineConfig } from 'vite'

/** One script and one style sheet, which the page of a forecast holds itself: it opens from a disk. */
export default defineConfig({
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  publicDir: false,
  define: { 'process.env.NODE_ENV': '"production"' },
  build: {
    target: 'es2022',
    cssCodeSplit: false,
    reportCompressedSize: false,
    modulePreload: false,
    lib: {
      entry: 'report/main.tsx',
      formats: ['iife'],
      name: 'berthReport',
      fileName: () => 'report.js',
      cssFileName: 'report',
    },
    rolldownOptions: { output: { codeSplitting: false } },
  },
})
