#!/bin/sh
# Makes, in the folder $1: a private authority (ca.pem), a server certificate of it for localhost (server.pem, server.key),
# one for another name (stranger.pem, stranger.key), and an authority that signed nothing (other-ca.pem).
set -eu
cd "$1"

authority() {
    openssl ecparam -name prime256v1 -genkey -noout -out "$1.key"
    openssl req -x509 -new -key "$1.key" -subj "/CN=$1" -days 2 -out "$1.pem"
}

certificate() {
    openssl ecparam -name prime256v1 -genkey -noout -out "$1.key"
    openssl req -new -key "$1.key" -subj "/CN=$1" -out "$1.csr"
    printf 'subjectAltName=%s\n' "$2" > "$1.ext"
    openssl x509 -req -in "$1.csr" -CA ca.pem -CAkey ca.key -set_serial "$3" -days 2 -extfile "$1.ext" -out "$1.pem"
}

authority ca
authority other-ca
certificate server DNS:localhost 1
certificate stranger DNS:mail.example 2
