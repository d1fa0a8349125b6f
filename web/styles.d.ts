/** Style sheets are the bundler's (`scripts/build.mjs`). */
declare module '*.css';
