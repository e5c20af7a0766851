#!/bin/sh
# Makes, in the folder $1: a private authority (authority.pem), certificates of it for localhost that are good, expired and not
# yet valid (good.pem, expired.pem, early.pem), one for another name (stranger.pem), one that signed itself (self.pem), one
# for clients (client.pem), one that names its host as common name alone (nameless.pem), and one of an intermediate authority (deep.pem, with the chain whole.pem); each with its key beside it (good.key ...).
set -eu
cd "$1"

printf '%s\n' '[ca]' 'default_ca = all' '[all]' 'database = index' 'serial = serial' 'new_certs_dir = .' \
    'certificate = authority.pem' 'private_key = authority.key' 'default_md = sha256' 'policy = names' \
    'copy_extensions = copy' 'unique_subject = no' '[names]' 'commonName = supplied' > ca.cnf
: > index
echo 10 > serial

alone() {
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout "$1.key" -subj "/CN=$1" -days 2 \
        -addext "subjectAltName=DNS:localhost" -out "$1.pem"
}

signed() {
    openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout "$1.key" -subj "/CN=$1" \
        -addext "subjectAltName=DNS:$2" -out "$1.csr"
    openssl ca -batch -notext -config ca.cnf -in "$1.csr" -startdate "$3" -enddate "$4" -out "$1.pem"
}

alone authority
alone self
signed good localhost 20200101000000Z 20491231000000Z
signed stranger mail.example 20200101000000Z 20491231000000Z
signed expired localhost 20200101000000Z 20210101000000Z
signed early localhost 20480101000000Z 20491231000000Z

openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout client.key -subj "/CN=client" \
    -addext "subjectAltName=DNS:localhost" -addext "extendedKeyUsage=clientAuth" -out client.csr
openssl ca -batch -notext -config ca.cnf -in client.csr -startdate 20200101000000Z -enddate 20491231000000Z -out client.pem
openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout nameless.key -subj "/CN=localhost" -out nameless.csr
openssl ca -batch -notext -config ca.cnf -in nameless.csr -startdate 20200101000000Z -enddate 20491231000000Z -out nameless.pem

openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout middle.key -subj "/CN=middle" \
    -addext "basicConstraints=critical,CA:TRUE" -out middle.csr
openssl ca -batch -notext -config ca.cnf -in middle.csr -startdate 20200101000000Z -enddate 20491231000000Z -out middle.pem
sed 's/authority/middle/; s/^database.*/database = index2/; s/^serial.*/serial = serial2/' ca.cnf | sed 's/authority.key/middle.key/' > middle.cnf
: > index2
echo 10 > serial2
openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout deep.key -subj "/CN=deep" \
    -addext "subjectAltName=DNS:localhost" -out deep.csr
openssl ca -batch -notext -config middle.cnf -in deep.csr -startdate 20200101000000Z -enddate 20491231000000Z -out deep.pem
cat deep.pem middle.pem > whole.pem
cp deep.key whole.key
