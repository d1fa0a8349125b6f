# Stands for postgres:17-bookworm: Debian's PostgreSQL, which takes the same variables.
FROM debian-root
COPY postgres-entry.sh /usr/local/bin/
RUN mkdir -p /var/lib/postgresql/data /run/postgresql && chown postgres:postgres /var/lib/postgresql/data /run/postgresql
ENV PGDATA=/var/lib/postgresql/data
USER postgres
VOLUME /var/lib/postgresql/data
CMD ["postgres-entry.sh"]
