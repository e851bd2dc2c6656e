# The server alone, for a machine without a Rust toolchain. Nothing of yours is in it: the vault, the
# configuration and the folder for indexes are mounted when it starts (docs/INSTALL.md).

FROM rust:1.95-bookworm AS build
WORKDIR /src
COPY . .
RUN cargo build --release --locked --bin obsearch --config release.toml

# A C library and certificates, no shell, no package manager.
FROM gcr.io/distroless/cc-debian12:nonroot
COPY --from=build /src/target/release/obsearch /usr/local/bin/obsearch
ENV XDG_CONFIG_HOME=/config XDG_DATA_HOME=/data XDG_CACHE_HOME=/data/cache
USER nonroot:nonroot
ENTRYPOINT ["/usr/local/bin/obsearch"]
# Over standard input and output: no port is open.
CMD ["serve"]
