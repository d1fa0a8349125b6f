ARG NODE_VERSION=20

FROM node:${NODE_VERSION}-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev
COPY scripts/build.mjs ./scripts/
COPY src ./src
COPY web ./web
COPY pages ./pages
RUN node scripts/build.mjs

# Debian's slim image has flock (util-linux), which locks the embedded database.
FROM node:${NODE_VERSION}-bookworm-slim
# Archives of accounts are put down on a disk: /tmp may be memory.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000 DATA_DIR=/data TMPDIR=/data
WORKDIR /app
COPY package.json LICENSE ./
COPY bin ./bin
COPY data ./data
COPY migrations ./migrations
COPY pages ./pages
COPY schema/openapi.json ./schema/
# The packages that are not in the bundle, as they are files rather than code.
COPY --from=build /app/node_modules/@electric-sql/pglite ./node_modules/@electric-sql/pglite
COPY --from=build /app/node_modules/@graphql-yoga/render-graphiql ./node_modules/@graphql-yoga/render-graphiql
COPY --from=build /app/node_modules/swagger-ui-dist ./node_modules/swagger-ui-dist
COPY --from=build /app/dist ./dist
RUN mkdir /data && chown node:node /data && ln -s /app/bin/cardledger.js /usr/local/bin/cardledger
USER node
VOLUME /data
EXPOSE 4000
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/readyz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--v8-pool-size=1", "--max-semi-space-size=8", "--heap-growing-percent=25", "--no-allocation-site-pretenuring", "dist/main.js"]
